import type { KustomizeAnswer } from '../../../bed/kustomize-oracle.ts'

/**
 * Without what is not kustomize's to tell. It does not know its own version; its files in memory word a failure unlike files on disk; of a
 * generator, a configuration, an item, or what a validator changed it prints addresses and whole objects, where ours names them or says
 * nothing; and it keeps notes for itself on objects that messages show.
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
          .replaceAll(/(?<= in object \{\{.*) ?internal\.config\.kubernetes\.io\/\S*?(?=[ \]])/gs, '')
          .replaceAll(/'(\/[^']*)' doesn't exist/g, 'open $1: no such file or directory')
          .replace(/(?<=merging from generator) &\{0x[0-9a-f]+ (?:<nil>|0x[0-9a-f]+)\}/, '')
          .replace(/^merging config &\{.*\}: (?=failed to merge)/s, '')
          .replace(/(?<=nodes unequal): .*/s, '')
          .replace(/\n\n--\n&resource\.Resource.*/s, '')
          .replace(/(?<=merging from generator).*(?= that could accept merge of)/s, ''),
      }
