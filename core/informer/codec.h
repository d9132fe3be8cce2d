/*
 * How an object's JSON becomes the bytes of a record: zstd level 1, with the kind's dictionary once
 * there is one, or with its family's base as prefix; plain where that is no gain. Contexts and the
 * texts of the last few bases are kept per thread and reused.
 * An encoding is a number (KD_ENCODING_*): a new one adds its number, its encoder here and a case
 * in decoding.
 */
#ifndef KD_INFORMER_CODEC_H
#define KD_INFORMER_CODEC_H

#include "informer/record.h"

struct ZSTD_CDict_s;
struct ZSTD_DDict_s;

/* Encodes. ret->bytes lie in the thread's scratch, or in raw itself, until the thread's next
 * encoding. KD_ETOOBIG past 4 GiB, KD_ENOMEM. */
int kd_codec_encode(struct kd_str raw, const struct kd_dict *dict,
                    struct kd_encoded *ret) KD_MUST_USE;

/* The same with the base as prefix, which has a text. */
int kd_codec_encode_with(struct kd_str raw, const struct kd_base *base,
                         struct kd_encoded *ret) KD_MUST_USE;

/* zstd's own forms of a dictionary, made with it. Borrowed. */
const struct ZSTD_CDict_s *kd_dict_writer(const struct kd_dict *dict);
const struct ZSTD_DDict_s *kd_dict_reader(const struct kd_dict *dict);

/* Trains on n samples that lie one behind the other. NULL when they do not make a dictionary. */
struct kd_dict *kd_dict_train(const char *samples, const size_t *sizes, size_t n);

#endif
