import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { mergeUserValues } from '../../engines/helm/user-values.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import { CommandFailed } from '../command-failed.ts'

/** helm's flags for values. */
export interface ValueOptions {
  readonly values: readonly string[]
  readonly set: readonly string[]
  readonly setString: readonly string[]
  readonly setJson: readonly string[]
  readonly setLiteral: readonly string[]
  readonly setFile: readonly string[]
}

/** Adds Helm's options for values; `valuesOf` reads them. */
export const withValueOptions = (command: Command): Command =>
  command
    .option('-f, --values <file>', 'values in a YAML file; may be repeated, the last one wins', collect, [])
    .option('--set <pairs>', 'set values: key1=val1,key2.inner[0]=val2; may be repeated', collect, [])
    .option('--set-string <pairs>', 'set values as strings', collect, [])
    .option('--set-json <pairs>', 'set values from JSON: key1=json1,key2=json2, or one JSON object', collect, [])
    .option('--set-literal <pair>', 'set a value to literal text', collect, [])
    .option('--set-file <pairs>', 'set values to the contents of files: key1=path1,key2=path2', collect, [])

/** For commander: values of an option that may be repeated, in their order. */
export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value]

/** The merged values of all flags. Fails with HelmError, or with CommandFailed if a file can't be read. */
export const valuesOf = (options: ValueOptions): ValueMap =>
  mergeUserValues({
    files: options.values.map(path => ({ path, content: readLocal(path) })),
    sets: {
      set: options.set,
      'set-string': options.setString,
      'set-json': options.setJson,
      'set-literal': options.setLiteral,
      'set-file': options.setFile,
    },
    readFile: path => readLocal(path).toString('utf8'),
  })

const readLocal = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CommandFailed(`open ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, { cause: error })
  }
}
