import { scalarNode } from '../../yaml/node.ts'
import { splitPath } from '../field-spec.ts'
import { type Form, unmarshal } from '../go-struct.ts'
import type { SelectorEntry } from '../kustomization.ts'
import { KustomizeError } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import { createPath, setScalar } from '../node-path.ts'
import { yamlAsJson } from '../read-field-specs.ts'
import type { ResourceMap } from '../resource-map.ts'
import { selectResources } from '../selector.ts'
import { applyNamespace } from './namespace.ts'

export interface ValueTarget {
  readonly selector?: SelectorEntry
  readonly fieldPath?: string
  readonly filePathPosition?: number
}

export interface ValueAddConfig {
  readonly value?: string
  readonly targets?: readonly ValueTarget[]
  readonly targetFilePath?: string
}

/** The value, by default the directory's name, and the fields to write it to. */
export const loadValueTargets = (
  { value = '', targets = [], targetFilePath }: ValueAddConfig,
  loader: Loader,
  form: Form,
): { value: string; targets: readonly ValueTarget[] } => {
  const all = [...targets]
  if (targetFilePath) {
    const content = yamlAsJson(loader.load(targetFilePath), targetFilePath, loader.budget)
    const decoded = unmarshal({ struct: '', fields: { targets: form } }, content)
    for (const target of (decoded.targets as ValueTarget[] | undefined) ?? []) all.push(target)
  }
  if (all.length === 0) throw new KustomizeError('must specify at least one target', { field: 'targets' })
  for (const { fieldPath, filePathPosition = 0 } of all) {
    if (!fieldPath) throw new KustomizeError('fieldPath cannot be empty', { field: 'targets.fieldPath' })
    if (filePathPosition < 0)
      throw new KustomizeError(`value of FilePathPosition (${filePathPosition}) cannot be negative`, {
        field: 'targets.filePathPosition',
      })
  }
  // Go's name of the root is a slash.
  return { value: value.trim() || loader.shownDirectory.split('/').at(-1) || '/', targets: all }
}

/**
 * Writes a value into fields of the targets' resources, missing ones included. With `filePathPosition` (from 1) it
 * becomes that part of the path in the field.
 */
export const addValues = (
  map: ResourceMap,
  { value, targets }: { value: string; targets: readonly ValueTarget[] },
): void => {
  for (const { selector, fieldPath, filePathPosition = 0 } of targets) {
    for (const resource of selector ? selectResources(map.list, selector) : map.list) {
      if (fieldPath === 'metadata/namespace') applyNamespace(resource, { namespace: value, specs: [] })
      else {
        const node = createPath(resource.node!, splitPath(fieldPath!, '/'), 'scalar')
        if (node)
          setScalar(
            node,
            scalarNode(filePathPosition > 0 ? insertPart(node.value, filePathPosition - 1, value) : value),
          )
      }
    }
  }
}

/** Inserts a part into a file path; positions count the same in absolute and relative paths. */
const insertPart = (path: string, position: number, part: string): string => {
  const absolute = path.startsWith('/')
  const parts = path.split('/').filter(piece => piece !== '')
  parts.splice(Math.min(position, parts.length), 0, part)
  return `${absolute ? '/' : ''}${parts.join('/')}`
}
