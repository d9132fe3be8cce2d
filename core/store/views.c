#include "store/views.h"

#include "base/alloc.h"
#include "base/macros.h"

/* Times are kept in nanoseconds; the fraction is cut, as the API cuts it. */
static const char resources[] =
    "SELECT n.id AS id, k.name AS kind, k.grp AS api_group, v.text AS api_version, "
    "n.ns AS namespace, n.name AS name, coalesce(r.uid, '') AS uid, "
    "r.version_text AS resource_version, i.text AS plugin, "
    "CASE r.labels WHEN '' THEN '{}' ELSE r.labels END AS labels, "
    "CASE r.annotations WHEN '' THEN '{}' ELSE r.annotations END AS annotations, "
    "CASE r.created WHEN 0 THEN NULL ELSE "
    "strftime('%Y-%m-%dT%H:%M:%SZ', r.created / 1000000000, 'unixepoch') END AS created_at, "
    "strftime('%Y-%m-%dT%H:%M:%S', r.updated / 1000000000, 'unixepoch') "
    "|| printf('.%03dZ', r.updated / 1000000 % 1000) AS updated_at "
    "FROM kind k JOIN node n ON n.kind = k.id JOIN resource r ON r.node = n.id "
    "LEFT JOIN word v ON v.id = r.version LEFT JOIN word i ON i.id = r.instance";

/*
 * An end's version and uid are those that the first origin mentions, else the resource's. The first
 * one by name: ids are others in a store that was imported.
 */
static const char relationships[] =
    "SELECT rel.id AS id, w.text AS type, "
    "'{' || rel.attrs || CASE WHEN rel.attrs <> '' AND rel.extra <> '' THEN ',' ELSE '' END "
    "|| rel.extra || '}' AS attributes, "
    "rel.subject AS subject_id, sk.name AS subject_kind, sk.grp AS subject_group, "
    "coalesce((SELECT text FROM word WHERE id = coalesce(g.subject_version, rs.version)), '') "
    "AS subject_version, s.ns AS subject_namespace, s.name AS subject_name, "
    "coalesce(g.subject_uid, rs.uid, '') AS subject_uid, "
    "rel.object AS object_id, ok.name AS object_kind, ok.grp AS object_group, "
    "coalesce((SELECT text FROM word WHERE id = coalesce(g.object_version, ro.version)), '') "
    "AS object_version, o.ns AS object_namespace, o.name AS object_name, "
    "coalesce(g.object_uid, ro.uid, '') AS object_uid, "
    "rs.node IS NOT NULL AND ro.node IS NOT NULL AND NOT EXISTS(SELECT 1 FROM origin x "
    "WHERE x.rel = rel.id AND (x.subject_uid <> rs.uid OR x.object_uid <> ro.uid)) AS resolved "
    "FROM rel JOIN word w ON w.id = rel.type "
    "JOIN node s ON s.id = rel.subject JOIN kind sk ON sk.id = s.kind "
    "JOIN node o ON o.id = rel.object JOIN kind ok ON ok.id = o.kind "
    "JOIN origin g ON g.rel = rel.id AND (g.node, g.instance) = (SELECT f.node, f.instance "
    "FROM origin f JOIN node fn ON fn.id = f.node JOIN kind fk ON fk.id = fn.kind "
    "JOIN word fw ON fw.id = f.instance WHERE f.rel = rel.id "
    "ORDER BY fk.name, fk.grp, fn.ns, fn.name, fw.text LIMIT 1) "
    "LEFT JOIN resource rs ON rs.node = rel.subject "
    "LEFT JOIN resource ro ON ro.node = rel.object";

static const char origins[] =
    "SELECT g.rel AS relationship_id, k.name AS kind, k.grp AS api_group, n.ns AS namespace, "
    "n.name AS name, w.text AS plugin, '{' || g.extra || '}' AS attributes, "
    "coalesce((SELECT text FROM word WHERE id = g.subject_version), '') AS subject_version, "
    "coalesce(g.subject_uid, '') AS subject_uid, "
    "coalesce((SELECT text FROM word WHERE id = g.object_version), '') AS object_version, "
    "coalesce(g.object_uid, '') AS object_uid "
    "FROM origin g JOIN node n ON n.id = g.node JOIN kind k ON k.id = n.kind "
    "JOIN word w ON w.id = g.instance";

int kd_views_make(sqlite3 *handle, bool temporary)
{
    static const struct {
        const char *name;
        const char *query;
    } views[] = { { "resources", resources },
                  { "relationships", relationships },
                  { "origins", origins } };
    int rc = SQLITE_OK;
    for (size_t i = 0; i < KD_ARRAY_LEN(views) && rc == SQLITE_OK; i++) {
        KD_AUTO_FREE char *sql = kd_asprintf("CREATE %s VIEW %s AS %s", temporary ? "TEMP" : "",
                                             views[i].name, views[i].query);
        rc = sqlite3_exec(handle, sql, NULL, NULL, NULL);
    }
    return rc;
}
