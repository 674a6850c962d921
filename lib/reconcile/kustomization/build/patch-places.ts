/** Finds the patch of a kustomization file (or of spec.patches) that sets a field of an object. */
import { normalize } from '../../../engines/kustomize/tree-path.ts'
import { field, type YamlNode } from '../../../engines/yaml/node.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { childOf, isOf, isSetBy, lineOf, type Step, valueAt } from './field-lines.ts'

/** A patch, inline or in a file. */
export interface PlacedPatch {
  readonly documents: readonly YamlNode[]
  readonly target: YamlNode | undefined
  /** Whatever the message should say for a line of the patch's text. */
  at(line: number): string
}

export interface PatchReader {
  /** The documents of a file; none if it can't be read. */
  file(path: string): readonly YamlNode[]
  text(text: string): readonly YamlNode[]
}

/** All patches of a kustomization file, in the order of their application. */
export const patchesOf = (kustomizationFile: string, reader: PatchReader): readonly PlacedPatch[] => {
  const [root] = reader.file(kustomizationFile)
  const folder = kustomizationFile.slice(0, Math.max(kustomizationFile.lastIndexOf('/'), 0))
  const inline = (node: YamlNode, target?: YamlNode): PlacedPatch => ({
    documents: reader.text(node.value),
    target,
    at: line => `${kustomizationFile}:${node.style === 'literal' ? node.line + line : node.line}`,
  })
  const inFile = (path: string, target?: YamlNode): PlacedPatch => {
    const file = normalize(`${folder}/${path}`) ?? path
    return { documents: reader.file(file), target, at: line => `${file}:${line}` }
  }
  const entries = (key: string): readonly YamlNode[] => field(root, key)?.content ?? []
  const withTarget = (entry: YamlNode): readonly PlacedPatch[] => {
    const [patch, path, target] = [field(entry, 'patch'), field(entry, 'path'), field(entry, 'target')]
    if (patch) return [inline(patch, target)]
    return path ? [inFile(path.value, target)] : []
  }
  return [
    ...entries('patchesStrategicMerge').map(entry =>
      entry.value.includes('\n') ? inline(entry) : inFile(entry.value),
    ),
    ...entries('patches').flatMap(withTarget),
    ...entries('patchesJson6902').flatMap(withTarget),
  ]
}

/** The place where the last patch that sets the field to the object's value does so. */
export const placeInPatches = (
  patches: readonly PlacedPatch[],
  object: KubernetesObject,
  steps: readonly Step[],
): string | undefined => {
  for (const patch of patches.toReversed())
    for (const document of patch.documents.toReversed()) {
      const line =
        document.kind === 'seq'
          ? isTarget(patch.target, object) && lineInOperations(document, object, steps)
          : (patch.target ? isTarget(patch.target, object) : isOf(document, object)) && lineOf(document, steps, object)
      if (line) return patch.at(line)
    }
  return undefined
}

/** Compares what is written out; patterns and selectors are assumed to match, as the field's value is compared, too. */
const isTarget = (target: YamlNode | undefined, { kind, metadata }: KubernetesObject): boolean => {
  const [wantedKind, name] = ['kind', 'name'].map(key => field(target, key)?.value ?? '')
  const isPlain = /^[\w.-]*$/.test(name!)
  return (
    (!wantedKind || !/^\w+$/.test(wantedKind) || wantedKind === kind) && (!isPlain || metadata.name.includes(name!))
  )
}

/** Of JSON 6902 operations. */
const lineInOperations = (
  operations: YamlNode,
  object: KubernetesObject,
  steps: readonly Step[],
): number | undefined => {
  for (const operation of operations.content.toReversed()) {
    const value = childOf(operation, 'value')
    const path = field(operation, 'path')?.value.split('/').slice(1).map(unescaped)
    const [below, within] = path ? split(path, object, steps) : []
    if (!value || !below) continue
    const line = below.length > 0 ? lineOf(value.node, below, within) : isSetBy(value.node, within) && value.line
    if (line) return line
  }
  return undefined
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')

/** The steps below a path, and the part of the object there; [] if the steps lead elsewhere. */
const split = (
  path: readonly string[],
  object: unknown,
  steps: readonly Step[],
): [below?: readonly Step[], within?: unknown] => {
  if (path.length > steps.length) return []
  let within = object
  for (const [i, token] of path.entries()) {
    const [step, next] = [steps[i]!, valueAt(within, steps[i]!)]
    const index = Array.isArray(within) ? within.indexOf(next) : undefined
    const isSame = index === undefined ? token === String(step) : token === String(index) || token === '-'
    if (!isSame) return []
    within = next
  }
  return [steps.slice(path.length), within]
}
