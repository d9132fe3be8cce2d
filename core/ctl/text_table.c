#include "ctl/text_table.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"

#define TABLE_MAX KD_GIB
#define GAP 3

void kd_ctl_table_init(struct kd_ctl_table *table, const char *const *headers, size_t n)
{
    KD_ASSERT(n > 0 && n <= KD_CTL_MAX_COLUMNS);
    *table = (struct kd_ctl_table){ .columns = n };
    kd_buf_init(&table->cells, TABLE_MAX);
    for (size_t i = 0; i < n; i++) {
        kd_ctl_table_cell(table, kd_str_from(headers[i]));
    }
}

void kd_ctl_table_release(struct kd_ctl_table *table)
{
    if (table) {
        kd_buf_release(&table->cells);
    }
}

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f;
}

static struct kd_str without_blanks(struct kd_str text)
{
    while (text.len > 0 && is_blank(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

void kd_ctl_clean_put(struct kd_buf *out, struct kd_str text)
{
    text = without_blanks(text);
    if (text.len == 0) {
        (void)kd_buf_putc(out, '-'); /* remembered by the buffer, as all here */
        return;
    }
    size_t start = out->len;
    if (kd_buf_put_str(out, text) < 0) {
        return;
    }
    unsigned char *ptr = (unsigned char *)out->ptr;
    for (size_t i = start; i < out->len; i++) {
        bool second = i > start && ptr[i - 1] == 0xc2 && ptr[i] < 0xa0; /* U+0080 to U+009F */
        if (second) {
            ptr[i - 1] = ' ';
        }
        ptr[i] = second || is_blank(out->ptr[i]) ? ' ' : ptr[i];
    }
}

/* Code points: bytes that do not continue one. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

void kd_ctl_table_cell(struct kd_ctl_table *table, struct kd_str text)
{
    size_t start = table->cells.len;
    kd_ctl_clean_put(&table->cells, text);
    if (kd_buf_putc(&table->cells, '\0') < 0) {
        return;
    }
    size_t width = width_of(table->cells.ptr + start);
    size_t column = table->n % table->columns;
    size_t *widest = &table->widths[column];
    *widest = width > *widest ? width : *widest;
    table->filled[column] |=
        table->n >= table->columns && strcmp(table->cells.ptr + start, "-") != 0;
    table->n++;
}

void kd_ctl_table_number(struct kd_ctl_table *table, uint64_t number)
{
    KD_AUTO_BUF struct kd_buf text;
    kd_buf_init(&text, 32);
    (void)kd_buf_printf(&text, "%llu", (unsigned long long)number); /* 20 digits at most */
    kd_ctl_table_cell(table, kd_buf_str(&text));
}

void kd_ctl_table_go_on(struct kd_ctl_table *table)
{
    kd_buf_clear(&table->cells, 64 * KD_KIB);
    table->n = 0;
    table->headless = true;
    for (size_t i = 0; i < table->columns; i++) {
        (void)kd_buf_putc(&table->cells, '\0'); /* a head line that nobody sees; there is room */
        table->n++;
    }
}

void kd_ctl_table_drop_empty(struct kd_ctl_table *table, size_t column)
{
    table->dropped[column] = !table->filled[column];
}

static bool is_last(const struct kd_ctl_table *table, size_t column)
{
    while (++column < table->columns && table->dropped[column]) {
    }
    return column == table->columns;
}

void kd_ctl_table_put(const struct kd_ctl_table *table, struct kd_buf *out)
{
    const char *cell = table->cells.ptr;
    size_t whole = table->n - table->n % table->columns;
    out->failed = out->failed || kd_buf_failed(&table->cells);
    for (size_t i = 0; i < whole && !kd_buf_failed(out); i++, cell += strlen(cell) + 1) {
        size_t column = i % table->columns;
        size_t width = width_of(cell);
        if (table->dropped[column] || (table->headless && i < table->columns)) {
            continue;
        }
        (void)kd_buf_puts(out, cell); /* looked at by the loop */
        if (is_last(table, column)) {
            (void)kd_buf_putc(out, '\n');
        } else {
            size_t widest = table->widths[column];
            (void)kd_buf_printf(out, "%*s", (int)((widest > width ? widest - width : 0) + GAP), "");
        }
    }
}
