import type { KustomizeAnswer } from '../../bed/kustomize-oracle.ts'

/**
 * Without what is not kustomize's to tell: it does not know its own version, its files in memory word a failure unlike files on disk, and
 * what it prints of a generator, of an item, or of what a validator changed, are addresses and whole objects, where ours names them; and notes on objects shown in a
 * message that only it needs.
 */
export const comparableAnswer = ({ output, error }: KustomizeAnswer): KustomizeAnswer =>
  error === undefined
    ? { output: (output ?? '').replaceAll('managed-by: kustomize-(devel)', 'managed-by: kustomize-v5.8.2') }
    : {
        error: error
          .replaceAll(
            /cannot read content from non-file '\/'(?=': recursed (?:accumulation of|merging from) path '([^']*)')/g,
            (_, path: string) => `read ${path}: is a directory`,
          )
          .replace(/&yaml\.RNode\{.*\}(?= is expected to be)/, 'an item')
          .replaceAll(/^ +internal\.config\.kubernetes\.io\/(refBy: .*|generatorBehavior: unspecified)\n/gm, '')
          .replaceAll(/'(\/[^']*)' doesn't exist/g, 'open $1: no such file or directory')
          .replace(/(?<=merging from generator) &\{0x[0-9a-f]+ (?:<nil>|0x[0-9a-f]+)\}/, '')
          .replace(/(?<=nodes unequal): .*/s, '')
          .replace(/(?<=merging from generator) &\{0x[0-9a-f]+ <nil>\}/, '')
          .replace(/\n\n--\n&resource\.Resource.*/s, '')
          .replace(/(?<=merging from generator).*(?= that could accept merge of)/s, ''),
      }
