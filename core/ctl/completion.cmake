# What shells find by themselves when it is installed. kindredctl writes the scripts.
set(completions "")
function(kd_completion shell file folder)
  set(script ${CMAKE_BINARY_DIR}/completions/${file})
  add_custom_command(OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completions
    COMMAND kindredctl completion ${shell} > ${script}
    DEPENDS kindredctl VERBATIM)
  install(FILES ${script} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT runtime)
  set(completions ${completions} ${script} PARENT_SCOPE)
endfunction()
kd_completion(bash kindredctl bash-completion/completions)
kd_completion(zsh _kindredctl zsh/vendor-completions)
kd_completion(fish kindredctl.fish fish/vendor_completions.d)
add_custom_target(completions ALL DEPENDS ${completions})
