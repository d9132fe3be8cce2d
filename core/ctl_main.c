/* kindredctl: asks a running kindred. */
#include "ctl/ctl.h"

#include <locale.h>

int main(int argc, char **argv)
{
    (void)setlocale(LC_CTYPE, ""); /* an unknown locale is as good as C */
    return kd_ctl_run(argc, argv);
}
