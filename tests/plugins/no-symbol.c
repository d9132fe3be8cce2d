/* A shared object that is no plugin. */
int no_plugin(void) __attribute__((visibility("default")));

int no_plugin(void)
{
    return 1;
}
