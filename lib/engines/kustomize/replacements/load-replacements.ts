import { isObject, type JsonValue } from '../../yaml/json-value.ts'
import { parseYaml } from '../../yaml/parse.ts'
import { decodeStruct } from '../go-struct.ts'
import type { ReplacementEntry } from '../kustomization.ts'
import { REPLACEMENT } from '../kustomization-form.ts'
import { KustomizeError, wrapping } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'

/** Loads replacements: entries with a path are replaced by the content of that file. */
export const loadReplacements = (entries: readonly ReplacementEntry[], loader: Loader): ReplacementEntry[] =>
  entries.flatMap(entry => {
    if (!entry.path) return [entry]
    if (entry.source || entry.targets?.length)
      throw new KustomizeError('cannot specify both path and inline replacement')
    const value = parseYaml(loader.load(entry.path), { budget: loader.budget })[0] ?? null
    const items: JsonValue[] = Array.isArray(value) ? value : isObject(value) ? [value] : unsupported(value)
    return wrapping('error unmarshaling JSON: while decoding JSON', () =>
      items.map(item => decodeStruct(IN_FILE, item) as ReplacementEntry),
    )
  })

const IN_FILE = { ...REPLACEMENT, struct: 'Replacement' }

const unsupported = (value: JsonValue): never => {
  const kind =
    value === null ? 'invalid' : typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'bool' : 'float64'
  throw new KustomizeError(`unsupported replacement type encountered within replacement path: ${kind}`)
}
