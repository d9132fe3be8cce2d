#include "ctl/view.h"

#include "base/clock.h"

#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define YEAR (365 * DAY)

struct step {
    int64_t below; /* seconds */
    int64_t unit;
    char letter;
    int64_t rest; /* of the second unit; 0: none */
    char rest_letter;
};

static const struct step steps[] = {
    { 2 * MINUTE, 1, 's', 0, 0 },    { 10 * MINUTE, MINUTE, 'm', 1, 's' },
    { 3 * HOUR, MINUTE, 'm', 0, 0 }, { 8 * HOUR, HOUR, 'h', MINUTE, 'm' },
    { 2 * DAY, HOUR, 'h', 0, 0 },    { 8 * DAY, DAY, 'd', HOUR, 'h' },
    { 2 * YEAR, DAY, 'd', 0, 0 },    { 8 * YEAR, YEAR, 'y', DAY, 'd' },
    { INT64_MAX, YEAR, 'y', 0, 0 },
};

void kd_ctl_age_put(struct kd_buf *out, int64_t age_ns)
{
    int64_t age = age_ns > 0 ? age_ns / KD_SEC_NS : 0; /* clocks may differ a little */
    const struct step *step = steps;
    while (age >= step->below) {
        step++;
    }
    (void)kd_buf_printf(out, "%lld%c", (long long)(age / step->unit), step->letter);
    int64_t rest = step->rest ? age % step->unit / step->rest : 0;
    if (rest > 0) {
        (void)kd_buf_printf(out, "%lld%c", (long long)rest, step->rest_letter);
    }
}
