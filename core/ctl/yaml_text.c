/*
 * Strings in YAML. The rules hold for readers of 1.1 and of 1.2: what either of them could take for
 * a number, a truth value, a date or punctuation is quoted, even where the other one would not.
 */
#include "ctl/emit.h"

#include "base/str.h"

static const char numeric_marks[] = "abcdefABCDEFxXoO_.:+-tTzZ ";
static const char plain_marks[] = "_./+@%=,;()<>^$~!*-";

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Words that mean something else than themselves. */
static bool is_word(struct kd_str text)
{
    static const char *const words[] = {
        "null", "true", "false", "yes", "no", "on", "off", "y", "n"
    };
    for (size_t i = 0; i < KD_ARRAY_LEN(words); i++) {
        if (kd_str_eq_nocase(text, kd_str_from(words[i]))) {
            return true;
        }
    }
    return false;
}

/* Made of nothing but what numbers, times and dates are made of: "1e3", "0x1f", "2024-01-01". */
static bool is_numeric(struct kd_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!is_digit(c) && !memchr(numeric_marks, c, sizeof(numeric_marks) - 1)) {
            return false;
        }
    }
    return true;
}

/* "/a/b", "web-1", "500m", "-v", "--all"; not "-", "- a", "---", "-.inf". */
static bool begins_plain(struct kd_str text)
{
    char c = text.ptr[0];
    if (c == '-') {
        bool word = text.len > 1 && (is_letter(text.ptr[1]) || text.ptr[1] == '-');
        return word && !kd_str_starts(text, KD_STR("---"));
    }
    if (is_digit(c)) {
        return !is_numeric(text);
    }
    return is_letter(c) || c == '_' || c == '/';
}

static bool is_plain(struct kd_str text)
{
    if (text.len == 0 || !begins_plain(text) || is_word(text)) {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        char c = text.ptr[i];
        bool last = i + 1 == text.len;
        if (c == ':' || c == ' ') {
            if (last || text.ptr[i + 1] == ' ') {
                return false;
            }
        } else if (!is_letter(c) && !is_digit(c) &&
                   !memchr(plain_marks, c, sizeof(plain_marks) - 1)) {
            return false;
        }
    }
    return true;
}

/* Lines of printable ASCII, of which the first begins with no white space. */
static bool is_block(struct kd_str text)
{
    bool lines = false;
    if (text.len < 2 || text.ptr[0] == ' ' || text.ptr[0] == '\n' || text.ptr[0] == '\t') {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        lines = lines || c == '\n';
        if (c != '\n' && (c < ' ' || c > '~')) {
            return false;
        }
    }
    return lines;
}

/* "|-" takes no newline at the end, "|" one, "|+" all of them. */
static void put_block(struct kd_buf *out, struct kd_str text, unsigned column)
{
    bool ends = text.ptr[text.len - 1] == '\n';
    bool more = ends && text.ptr[text.len - 2] == '\n';
    (void)kd_buf_puts(out, more ? "|+" : ends ? "|" : "|-"); /* remembered, as all here */
    text.len -= ends ? 1 : 0;                                /* the caller ends the line */
    while (text.ptr) {
        struct kd_str line = kd_str_cut(&text, '\n');
        (void)kd_buf_putc(out, '\n');
        if (line.len > 0) {
            (void)kd_buf_printf(out, "%*s", (int)column, "");
            (void)kd_buf_put_str(out, line);
        }
    }
}

/*
 * What YAML reads as a line break, a mark or nothing printable beyond ASCII: U+0080 to U+009F,
 * U+2028, U+2029, U+FEFF, U+FFFE, U+FFFF. Returns the code of the one that begins at i, or 0.
 */
static unsigned odd_code(const unsigned char *ptr, size_t left)
{
    if (left >= 2 && ptr[0] == 0xc2 && ptr[1] < 0xa0) {
        return ptr[1];
    }
    if (left < 3 || (ptr[0] & 0xf0) != 0xe0) {
        return 0;
    }
    unsigned code = (ptr[0] & 0x0fu) << 12 | (ptr[1] & 0x3fu) << 6 | (ptr[2] & 0x3fu);
    bool odd = code == 0x2028 || code == 0x2029 || code == 0xfeff || code >= 0xfffe;
    return odd ? code : 0;
}

/* JSON's quoting, which is YAML's too but for the odd ones. */
static void put_quoted(struct kd_buf *out, struct kd_str text)
{
    KD_AUTO_BUF struct kd_buf quoted;
    kd_buf_init(&quoted, 8 * text.len + 8);
    if (kd_buf_put_json(&quoted, text) < 0) {
        out->failed = true;
        return;
    }
    const unsigned char *ptr = (const unsigned char *)quoted.ptr;
    size_t start = 0;
    for (size_t i = 0; i < quoted.len; i++) {
        unsigned code = odd_code(ptr + i, quoted.len - i);
        if (code) {
            (void)kd_buf_put(out, quoted.ptr + start, i - start);
            (void)kd_buf_printf(out, "\\u%04x", code);
            i += code < 0x800 ? 1 : 2;
            start = i + 1;
        }
    }
    (void)kd_buf_put(out, quoted.ptr + start, quoted.len - start);
}

void kd_ctl_yaml_put_text(struct kd_buf *out, struct kd_str text, unsigned column)
{
    if (is_plain(text)) {
        (void)kd_buf_put_str(out, text);
    } else if (is_block(text)) {
        put_block(out, text, column);
    } else {
        put_quoted(out, text);
    }
}

void kd_ctl_yaml_put_key(struct kd_buf *out, struct kd_str text)
{
    if (is_plain(text)) {
        (void)kd_buf_put_str(out, text);
    } else {
        put_quoted(out, text);
    }
}
