/** Finds the file and line of the field that an error is about, for messages. */
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { normalize } from '../../../engines/kustomize/tree-path.ts'
import { field, type YamlNode } from '../../../engines/yaml/node.ts'
import { parseNodes } from '../../../engines/yaml/parse.ts'
import type { KustomizationSpec } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { childOf, isOf, lineOf, stepsOf } from './field-lines.ts'
import { type PlacedPatch, patchesOf, placeInPatches } from './patch-places.ts'

/**
 * `apps/b.yaml:7`, or if the origin has more, `apps/b.yaml:7, overlay prod`: the line of a field (`spec.ports[0].port`, `.data.n`)
 * of a built object, where it is set: in a patch, in the overlay, or in the object's file. Otherwise the line of the object, or of the
 * generator that made it. Returns the origin unchanged if nothing is found.
 */
export type Locate = (object: KubernetesObject, origin: string, path?: string) => string

/** Larger files are not parsed again just for a line number. */
const maxBytes = 1_000_000

/** `spec` is that of the Kustomization that builds the files: its patches are applied last. */
export const locateIn = (
  files: Pick<FileSystem, 'read' | 'list'>,
  { patches = [] }: Pick<KustomizationSpec, 'patches'> = {},
): Locate => {
  const parsed = new Map<string, readonly YamlNode[]>()
  const documentsOf = (file: string): readonly YamlNode[] => {
    const known = parsed.get(file)
    if (known) return known
    const documents = readDocuments(files.read(file))
    parsed.set(file, documents)
    return documents
  }
  /** Those of a folder and of all that it includes: what is applied last comes first. */
  const kustomizationFiles = (folder: string, seen = new Set<string>()): readonly string[] => {
    const name = seen.has(folder) ? undefined : files.list(folder)?.find(one => kustomizationName.test(one))
    if (name === undefined) return []
    seen.add(folder)
    const file = normalize(`${folder}/${name}`)!
    const [root] = documentsOf(file)
    const included = ['components', 'resources', 'bases'].flatMap(key => field(root, key)?.content ?? [])
    const folders = included.flatMap(({ value }) => normalize(`${folder}/${value}`) ?? [])
    return [file, ...folders.flatMap(one => kustomizationFiles(one, seen))]
  }
  const reader = { file: documentsOf, text: (text: string) => readDocuments(Buffer.from(text)) }
  const ofSpec = (): readonly PlacedPatch[] =>
    patches.map(({ patch, target }, i) => ({
      documents: reader.text(patch),
      target: target && reader.text(JSON.stringify(target))[0],
      at: line => `spec.patches[${i}] line ${line}`,
    }))

  return (object, origin, path) => {
    const [file = '', ...more] = origin.split(', ')
    const overlay = /^overlay (.*)$/.exec(more[0] ?? '')?.[1]
    const steps = stepsOf(path ?? '')
    const isTheOne = (node: YamlNode) => isOf(node, object)
    if (steps.length > 0) {
      const bySpec = placeInPatches(ofSpec(), object, steps)
      if (bySpec !== undefined) return `${bySpec}, ${origin}`
      const top = overlay === undefined ? folderOf(file) : overlay === '.' ? '' : overlay
      for (const kustomization of kustomizationFiles(top)) {
        const place = placeInPatches(patchesOf(kustomization, reader), object, steps)
        if (place !== undefined) return place
      }
    }
    const [first] = documentsOf(file)
    const found = documentsOf(file).find(isTheOne) ?? generatorOf(first, object)
    if (!found) return origin
    const line = lineOf(found, steps, object) ?? found.line
    return [`${file}:${line}`, ...more].join(', ')
  }
}

const kustomizationName = /^(kustomization\.ya?ml|Kustomization)$/

const folderOf = (file: string): string => file.slice(0, Math.max(file.lastIndexOf('/'), 0))

/** The entry of a kustomization file that generates the object. */
const generatorOf = (
  kustomization: YamlNode | undefined,
  { kind, metadata }: KubernetesObject,
): YamlNode | undefined => {
  const entries = field(kustomization, kind === 'Secret' ? 'secretGenerator' : 'configMapGenerator')?.content ?? []
  return entries.find(entry => metadata.name.includes(field(entry, 'name')?.value ?? metadata.name))
}

/** `apps/kustomization.yaml:7`: the line of a field in a file with one document; the file alone if it isn't found. */
export const withLine = (files: Pick<FileSystem, 'read'>, file: string, path: string | undefined): string => {
  const [root] = readDocuments(files.read(file))
  const steps = stepsOf(path ?? '')
  let [node, line]: [YamlNode | undefined, number | undefined] = [root, undefined]
  for (const step of steps) {
    const found: ReturnType<typeof childOf> = node && childOf(node, step)
    if (!found) break
    ;({ node, line } = found)
  }
  return line === undefined ? file : `${file}:${line}`
}

/** An origin with the line of its file that first uses a variable. */
export const withLineOfVariable = (files: Pick<FileSystem, 'read'>, origin: string, variable: string): string => {
  const [file = '', ...more] = origin.split(', ')
  const lines = Buffer.from(files.read(file) ?? '')
    .toString('utf8')
    .split('\n')
  const taking = new RegExp(`\\$\\{${variable}\\b`)
  const at = lines.findIndex(line => taking.test(line))
  return at < 0 ? origin : [`${file}:${at + 1}`, ...more].join(', ')
}

const readDocuments = (bytes: Uint8Array | undefined): readonly YamlNode[] => {
  if (!bytes || bytes.length > maxBytes) return []
  try {
    return parseNodes(bytes).flatMap(root => {
      const items = field(root, 'items')
      return field(root, 'kind')?.value.endsWith('List') && items?.kind === 'seq' ? items.content : [root]
    })
  } catch {
    return [] // the build has reported that
  }
}
