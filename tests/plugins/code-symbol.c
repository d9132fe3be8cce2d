/* The symbol is there, but it is a function. */
int kindred_plugin(void) __attribute__((visibility("default")));

int kindred_plugin(void)
{
    return 1;
}
