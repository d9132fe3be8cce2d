#include "archive/export.h"

int kd_export_each_resource(const struct kd_export *to, kd_export_resource_fn put,
                            struct kd_error *reterr)
{
    struct kd_archive_walk *walk = NULL;
    struct kd_archive_resource row;
    KD_TRY(kd_archive_resources(to->archive, &walk, reterr));
    int rc;
    while ((rc = kd_archive_next_resource(walk, &row, reterr)) == 1) {
        put(to->out, &row);
        rc = to->row(to->arg, reterr);
        if (rc < 0) {
            break;
        }
    }
    kd_archive_end(walk);
    return rc;
}

int kd_export_each_relation(const struct kd_export *to, kd_export_relation_fn put,
                            struct kd_error *reterr)
{
    struct kd_archive_walk *walk = NULL;
    struct kd_archive_relation row;
    KD_TRY(kd_archive_relations(to->archive, &walk, reterr));
    int rc;
    while ((rc = kd_archive_next_relation(walk, &row, reterr)) == 1) {
        rc = put(to, &row, reterr);
        rc = rc < 0 ? rc : to->row(to->arg, reterr);
        if (rc < 0) {
            break;
        }
    }
    kd_archive_end(walk);
    return rc;
}
