import type { Budget } from '../../../foundations/budget/budget.ts'
import { isObject, type JsonObject } from '../../yaml/json-value.ts'
import type { Hook } from '../hook.ts'
import type { Manifest } from '../manifest.ts'
import { readYaml } from '../read-yaml.ts'
import { splitManifests } from '../split-manifests.ts'
import type { ReleaseHook } from './release.ts'

/** The manifest that is stored: every document with the template that it comes from. */
export const manifestText = (manifests: readonly Pick<Manifest, 'path' | 'content'>[]): string =>
  manifests.map(({ path, content }) => `---\n# Source: ${path}\n${content}\n`).join('')

/** A hook as stored before it has run. */
export const storedHook = ({ name, kind, path, content, events, weight, ...policies }: Hook): ReleaseHook => ({
  ...{ name, kind, path, manifest: content, events, last_run: { phase: '' }, weight },
  delete_policies: policies.deletePolicies,
  output_log_policies: policies.outputLogPolicies,
})

/** The objects of a stored manifest or hook, with lists expanded; empty documents are skipped. Throws the YAML error. */
export const manifestObjects = (manifest: string, budget?: Budget): readonly JsonObject[] =>
  splitManifests(manifest).flatMap(document => {
    const object = readYaml(document, budget)
    if (!isObject(object)) return []
    return isList(object) ? object.items.filter(isObject) : [object]
  })

export type ReadManifest = (manifest: string) => readonly JsonObject[]

/** `manifestObjects` for one pass over a release: its steps read the same manifests, each of which is parsed once. */
export const manifestReader = (): ReadManifest => {
  const known = new Map<string, readonly JsonObject[]>()
  return manifest => {
    const objects = known.get(manifest) ?? manifestObjects(manifest)
    known.set(manifest, objects)
    return objects
  }
}

const isList = (object: JsonObject): object is JsonObject & { readonly items: JsonObject[] } =>
  typeof object.kind === 'string' && object.kind.endsWith('List') && Array.isArray(object.items)
