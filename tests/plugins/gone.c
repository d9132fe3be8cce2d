/* The library that missing-library.so needs and does not find. */
int gone(void) __attribute__((visibility("default")));

int gone(void)
{
    return 1;
}
