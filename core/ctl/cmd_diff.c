/* diff: two files are walked side by side, in the order that both have. */
#include "ctl/commands.h"

#include "archive/archive.h"
#include "base/limits.h"
#include "base/ref.h"
#include "base/str.h"
#include "ctl/differences.h"

/* One of the two files. */
struct side {
    struct kd_archive *archive;
    struct kd_archive_walk *walk;
    bool has; /* the row below is the next one */
    struct kd_archive_resource resource;
    struct kd_archive_relation relation;
};

struct diff {
    struct kd_ctl_session *session;
    struct side old, new;
    struct kd_ctl_differences out;
};

/* What a walk is over. */
struct rows {
    int (*begin)(struct kd_archive *archive, struct kd_archive_walk **ret, struct kd_error *reterr);
    int (*next)(struct side *side, struct kd_error *reterr);
    int (*order)(const struct side *a, const struct side *b);
    void (*tell)(struct diff *diff, const struct side *old, const struct side *new);
};

static int next_resource(struct side *side, struct kd_error *reterr)
{
    return kd_archive_next_resource(side->walk, &side->resource, reterr);
}

static int next_relation(struct side *side, struct kd_error *reterr)
{
    return kd_archive_next_relation(side->walk, &side->relation, reterr);
}

static int resource_order(const struct side *a, const struct side *b)
{
    return kd_ref_cmp(&a->resource.ref, &b->resource.ref);
}

static int relation_order(const struct side *a, const struct side *b)
{
    int order = kd_str_cmp(a->relation.type, b->relation.type);
    order = order ? order : kd_ref_cmp(&a->relation.subject, &b->relation.subject);
    order = order ? order : kd_ref_cmp(&a->relation.object, &b->relation.object);
    return order ? order : kd_str_cmp(a->relation.identity, b->relation.identity);
}

static void tell_resource(struct diff *diff, const struct side *old, const struct side *new)
{
    kd_ctl_differ_resource(&diff->out, old ? &old->resource : NULL, new ? &new->resource : NULL);
}

static void tell_relation(struct diff *diff, const struct side *old, const struct side *new)
{
    kd_ctl_differ_relation(&diff->out, old ? &old->relation : NULL, new ? &new->relation : NULL);
}

static const struct rows resources = { kd_archive_resources, next_resource, resource_order,
                                       tell_resource };
static const struct rows relations = { kd_archive_relations, next_relation, relation_order,
                                       tell_relation };

static int step(const struct rows *rows, struct side *side, struct kd_error *reterr)
{
    int rc = rows->next(side, reterr);
    side->has = rc == 1;
    return rc < 0 ? rc : 0;
}

/* Which of the two stands first: below 0 the old one, above 0 the new one, 0 both alike. */
static int which(const struct rows *rows, const struct diff *diff)
{
    if (!diff->old.has || !diff->new.has) {
        return diff->old.has ? -1 : 1;
    }
    return rows->order(&diff->old, &diff->new);
}

static int walk_rows(const struct rows *rows, struct diff *diff, struct kd_error *reterr)
{
    KD_TRY(step(rows, &diff->old, reterr));
    KD_TRY(step(rows, &diff->new, reterr));
    while (diff->old.has || diff->new.has) {
        int first = which(rows, diff);
        rows->tell(diff, first <= 0 ? &diff->old : NULL, first >= 0 ? &diff->new : NULL);
        KD_TRY(kd_ctl_flush_some(diff->session, reterr));
        KD_TRY(first <= 0 ? step(rows, &diff->old, reterr) : 0);
        KD_TRY(first >= 0 ? step(rows, &diff->new, reterr) : 0);
    }
    return 0;
}

static int compare(const struct rows *rows, struct diff *diff, struct kd_error *reterr)
{
    int rc = rows->begin(diff->old.archive, &diff->old.walk, reterr);
    rc = rc < 0 ? rc : rows->begin(diff->new.archive, &diff->new.walk, reterr);
    rc = rc < 0 ? rc : walk_rows(rows, diff, reterr);
    kd_archive_end(kd_steal(diff->old.walk));
    kd_archive_end(kd_steal(diff->new.walk));
    return rc;
}

int kd_ctl_run_diff(struct kd_ctl_session *session, struct kd_error *reterr)
{
    struct diff diff = { .session = session };
    kd_ctl_differences_init(&diff.out, session);
    int rc = kd_archive_open(session->options->file, &diff.old.archive, reterr);
    rc = rc < 0 ? rc : kd_archive_open(session->options->other, &diff.new.archive, reterr);
    rc = rc < 0 ? rc : compare(&resources, &diff, reterr);
    rc = rc < 0 ? rc : compare(&relations, &diff, reterr);
    kd_archive_close(diff.old.archive);
    kd_archive_close(diff.new.archive);
    kd_ctl_differences_release(&diff.out);
    return rc < 0 ? rc : diff.out.n > 0;
}
