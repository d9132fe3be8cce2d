/*
 * Every statement that has a fixed text, by name. A connection prepares each once, when it first
 * needs it. Texts are bound with their length, so NUL bytes inside survive.
 */
#ifndef KD_STORE_SQL_H
#define KD_STORE_SQL_H

#define KD_SQL_STATEMENTS(X)                                                                       \
    X(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                              \
    X(BEGIN_READ, "BEGIN")                                                                         \
    X(COMMIT, "COMMIT")                                                                            \
    X(ROLLBACK, "ROLLBACK")                                                                        \
    X(GET_META, "SELECT value FROM meta WHERE key = ?1")                                           \
    X(SET_META, "INSERT OR REPLACE INTO meta(key, value) VALUES(?1, ?2)")                          \
    /* interned words and kinds */                                                                 \
    X(FIND_WORD, "SELECT id FROM word WHERE text = ?1")                                            \
    X(WORD_TEXT, "SELECT text FROM word WHERE id = ?1")                                            \
    X(ADD_WORD, "INSERT INTO word(text) VALUES(?1)")                                               \
    X(FIND_KIND, "SELECT id, stored FROM kind WHERE name = ?1 AND grp = ?2")                       \
    X(KIND_TEXT, "SELECT grp, name, stored FROM kind WHERE id = ?1")                               \
    X(ADD_KIND, "INSERT INTO kind(name, grp, stored) VALUES(?1, ?2, 0)")                           \
    X(SET_STORED, "UPDATE kind SET stored = ?2 WHERE id = ?1")                                     \
    X(ALL_KINDS, "SELECT grp, name, stored FROM kind")                                             \
    X(MATCH_KINDS, "SELECT id, grp, name FROM kind WHERE (?1 IS NULL OR name = ?1) "               \
                   "AND (?2 IS NULL OR grp = ?2) ORDER BY name, grp")                              \
    /* nodes */                                                                                    \
    X(FIND_NODE, "SELECT id FROM node WHERE kind = ?1 AND ns = ?2 AND name = ?3")                  \
    X(ADD_NODE, "INSERT INTO node(kind, ns, name) VALUES(?1, ?2, ?3)")                             \
    X(NODE_TEXT, "SELECT kind, ns, name FROM node WHERE id = ?1")                                  \
    X(NODE_USED, "SELECT EXISTS(SELECT 1 FROM said WHERE node = ?1) "                              \
                 "OR EXISTS(SELECT 1 FROM rel WHERE subject = ?1) "                                \
                 "OR EXISTS(SELECT 1 FROM rel WHERE object = ?1)")                                 \
    X(DROP_NODE, "DELETE FROM node WHERE id = ?1")                                                 \
    X(ADD_GONE, "INSERT OR REPLACE INTO gone(node, seq) VALUES(?1, ?2)")                           \
    X(OLD_GONE, "SELECT node FROM gone WHERE seq <= ?1 LIMIT 1")                                   \
    X(DROP_GONE, "DELETE FROM gone WHERE node = ?1")                                               \
    /* what an instance said about an object */                                                    \
    X(FIND_SAID, "SELECT n.id, s.node, s.resource_hash, s.relations_hash, s.uid FROM node n "      \
                 "LEFT JOIN said s ON s.node = n.id AND s.instance = ?4 "                          \
                 "WHERE n.kind = ?1 AND n.ns = ?2 AND n.name = ?3")                                \
    X(SET_SAID, "INSERT OR REPLACE INTO said(node, instance, uid, resource_hash, relations_hash) " \
                "VALUES(?1, ?2, ?3, ?4, ?5)")                                                      \
    X(ALL_SAID, "SELECT instance, uid FROM said WHERE node = ?1")                                  \
    X(SAID_OF, "SELECT n.ns, n.name FROM node n "                                                  \
               "CROSS JOIN said s ON s.node = n.id AND s.instance = ?2 WHERE n.kind = ?1")         \
    X(SAID_PAGE, "SELECT s.node, s.instance, n.kind, n.ns, n.name FROM said s "                    \
                 "CROSS JOIN node n ON n.id = s.node "                                             \
                 "WHERE (s.node, s.instance) > (?1, ?2) ORDER BY s.node, s.instance LIMIT ?3")     \
    X(DROP_SAID, "DELETE FROM said WHERE node = ?1 AND instance = ?2")                             \
    X(FORGET_SAID, "UPDATE said SET resource_hash = NULL WHERE node = ?1 AND instance = ?2")       \
    /* resources and their records */                                                              \
    X(FIND_RESOURCE, "SELECT uid, version, instance, created FROM resource WHERE node = ?1")       \
    X(SET_RESOURCE, "INSERT OR REPLACE INTO resource(node, uid, version, instance, version_text, " \
                    "labels, annotations, created, updated, data) "                                \
                    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")                             \
    X(DROP_RESOURCE, "DELETE FROM resource WHERE node = ?1")                                       \
    X(RECORD_USES, "SELECT dict, base FROM record WHERE node = ?1")                                \
    X(SET_RECORD, "INSERT OR REPLACE INTO record(node, encoding, raw_len, dict, base, bytes) "     \
                  "VALUES(?1, ?2, ?3, ?4, ?5, ?6)")                                                \
    X(GET_RECORD, "SELECT encoding, raw_len, dict, base, bytes FROM record WHERE node = ?1")       \
    X(DROP_RECORD, "DELETE FROM record WHERE node = ?1")                                           \
    X(FIND_DICT, "SELECT 1 FROM dict WHERE id = ?1")                                               \
    X(GET_DICT, "SELECT bytes FROM dict WHERE id = ?1")                                            \
    X(ADD_DICT, "INSERT INTO dict(id, uses, bytes) VALUES(?1, 0, ?2)")                             \
    X(USE_DICT, "UPDATE dict SET uses = uses + ?2 WHERE id = ?1")                                  \
    X(DROP_DICT, "DELETE FROM dict WHERE id = ?1 AND uses <= 0")                                   \
    X(FIND_BASE, "SELECT 1 FROM base WHERE id = ?1")                                               \
    X(GET_BASE, "SELECT encoding, raw_len, dict, bytes FROM base WHERE id = ?1")                   \
    X(ADD_BASE, "INSERT INTO base(id, uses, encoding, raw_len, dict, bytes) "                      \
                "VALUES(?1, 0, ?2, ?3, ?4, ?5)")                                                   \
    X(USE_BASE, "UPDATE base SET uses = uses + ?2 WHERE id = ?1")                                  \
    X(UNUSED_BASE, "SELECT dict FROM base WHERE id = ?1 AND uses <= 0")                            \
    X(DROP_BASE, "DELETE FROM base WHERE id = ?1 AND uses <= 0")                                   \
    /* relations and who said them */                                                              \
    X(FIND_REL, "SELECT id, attrs FROM rel INDEXED BY rel_object "                                 \
                "WHERE object = ?1 AND type = ?2 AND subject = ?3")                                \
    X(GET_REL, "SELECT subject, type, object, attrs, extra FROM rel WHERE id = ?1")                \
    X(ADD_REL, "INSERT INTO rel(id, subject, type, object, attrs, extra) "                         \
               "VALUES(?1, ?2, ?3, ?4, ?5, ?6)")                                                   \
    X(SET_EXTRA, "UPDATE rel SET extra = ?2 WHERE id = ?1")                                        \
    X(DROP_REL, "DELETE FROM rel WHERE id = ?1")                                                   \
    X(ORIGIN_SAYS, "SELECT o.rel, o.extra, o.subject_version, o.object_version, o.subject_uid, "   \
                   "o.object_uid FROM origin o INDEXED BY origin_node "                            \
                   "WHERE o.node = ?1 AND o.instance = ?2 ORDER BY o.rel")                         \
    X(REL_SAYS, "SELECT extra, subject_version, object_version, subject_uid, object_uid "          \
                "FROM origin WHERE rel = ?1 ORDER BY node, instance")                              \
    X(SET_ORIGIN, "INSERT OR REPLACE INTO origin(rel, node, instance, extra, subject_version, "    \
                  "object_version, subject_uid, object_uid) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, "   \
                  "?8)")                                                                           \
    X(DROP_ORIGIN, "DELETE FROM origin WHERE rel = ?1 AND node = ?2 AND instance = ?3")            \
    /* how far a kind is complete */                                                               \
    X(SET_MARK, "INSERT OR REPLACE INTO mark(kind, scope, version) VALUES(?1, ?2, ?3)")            \
    X(GET_MARK, "SELECT scope, version FROM mark WHERE kind = ?1")                                 \
    X(DROP_MARK, "DELETE FROM mark WHERE kind = ?1")                                               \
    X(ADD_PENDING, "INSERT OR IGNORE INTO pending(kind, ns, name) VALUES(?1, ?2, ?3)")             \
    X(GET_PENDING, "SELECT ns, name FROM pending WHERE kind = ?1")                                 \
    X(DROP_PENDING, "DELETE FROM pending WHERE kind = ?1")                                         \
    /* the feed */                                                                                 \
    X(ADD_FEED, "INSERT INTO feed(seq, type, subject, subject_version, subject_uid, object, "      \
                "object_version, object_uid, predicate, rel, attrs) "                              \
                "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")                            \
    X(TRIM_FEED, "DELETE FROM feed WHERE seq <= ?1")                                               \
    X(FEED_FLOOR, "SELECT min(seq) - 1 FROM feed")                                                 \
    X(GET_FEED, "SELECT seq, type, subject, subject_version, subject_uid, object, "                \
                "object_version, object_uid, predicate, rel, attrs "                               \
                "FROM feed WHERE seq > ?1 ORDER BY seq")                                           \
    X(IS_RESOLVED, "SELECT s.uid, o.uid, g.subject_uid, g.object_uid FROM rel r "                  \
                   "CROSS JOIN resource s ON s.node = r.subject "                                  \
                   "CROSS JOIN resource o ON o.node = r.object "                                   \
                   "CROSS JOIN origin g ON g.rel = r.id WHERE r.id = ?1")                          \
    /* one relation, a row for each origin */                                                      \
    X(REL_ROWS, "SELECT rel.id, rel.type, rel.attrs, rel.extra, s.kind, s.ns, s.name, o.kind, "    \
                "o.ns, o.name, g.subject_version, g.subject_uid, g.object_version, g.object_uid, " \
                "rs.node, rs.version, rs.uid, ro.node, ro.version, ro.uid FROM rel "               \
                "CROSS JOIN node s ON s.id = rel.subject CROSS JOIN node o ON o.id = rel.object "  \
                "CROSS JOIN origin g ON g.rel = rel.id "                                           \
                "LEFT JOIN resource rs ON rs.node = rel.subject "                                  \
                "LEFT JOIN resource ro ON ro.node = rel.object WHERE rel.id = ?1 "                 \
                "ORDER BY g.node, g.instance")                                                     \
    /* resources in key order */                                                                   \
    X(EACH, KD_SQL_RESOURCE "n.kind = ?1 AND (n.ns, n.name) > (?2, ?3)" KD_SQL_ORDER)              \
    X(EACH_AT, KD_SQL_RESOURCE "n.kind = ?1 AND n.ns = ?2 AND n.name > ?3" KD_SQL_ORDER)           \
    X(EACH_ONE, KD_SQL_RESOURCE "n.kind = ?1 AND n.ns = ?2 AND n.name = ?3")                       \
    /* a relation to another resource of the graph */                                              \
    X(IS_RELATED, "SELECT EXISTS(SELECT 1 FROM rel INDEXED BY rel_subject "                        \
                  "CROSS JOIN resource r ON r.node = rel.object "                                  \
                  "WHERE rel.subject = ?1 AND rel.object != ?1) "                                  \
                  "OR EXISTS(SELECT 1 FROM rel INDEXED BY rel_object "                             \
                  "CROSS JOIN resource r ON r.node = rel.subject "                                 \
                  "WHERE rel.object = ?1 AND rel.subject != ?1)")                                  \
    X(EACH_KEPT, "SELECT r.encoding, r.raw_len, r.dict, r.base, r.bytes FROM node n "              \
                 "CROSS JOIN record r ON r.node = n.id WHERE n.kind = ?1")                         \
    X(WHO_IS, "SELECT r.uid, r.version FROM node n CROSS JOIN resource r ON r.node = n.id "        \
              "WHERE n.kind = ?1 AND n.ns = ?2 AND n.name = ?3")                                   \
    X(EACH_KEY, "SELECT n.ns, n.name, r.uid, r.version, r.version_text FROM node n "               \
                "CROSS JOIN resource r ON r.node = n.id WHERE n.kind = ?1 ORDER BY n.ns, n.name")

#define KD_SQL_RESOURCE                                                                            \
    "SELECT n.id, n.ns, n.name, r.uid, r.version, r.version_text, r.labels, r.annotations, "       \
    "r.created, r.updated, r.data FROM node n CROSS JOIN resource r ON r.node = n.id WHERE "
#define KD_SQL_ORDER " ORDER BY n.ns, n.name"

#define KD_SQL_ENUM(name, text) KD_SQL_##name,
enum kd_sql { KD_SQL_STATEMENTS(KD_SQL_ENUM) KD_SQL_COUNT };
#undef KD_SQL_ENUM

#endif
