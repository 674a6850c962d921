import { posix } from 'node:path'
import type { FileSystem } from '../../../engines/kustomize/file-system.ts'
import { type Budget, defaultBuildLimits } from '../../../foundations/budget/budget.ts'
import type { KustomizationSpec } from '../../../foundations/kinds/kustomization.ts'
import { smallBudget } from '../../heavy-work/here-or-elsewhere.ts'
import { type KustomizationFile, rewriteKustomization } from './rewrite-kustomization.ts'

const fileNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

type Image = NonNullable<KustomizationSpec['images']>[number]

/** The fields of a Kustomization that are merged into its kustomization.yaml: all that a build takes from the spec. */
export type Edits = Pick<KustomizationSpec, (typeof editedFields)[number]>

const editedFields = [
  'targetNamespace',
  'namePrefix',
  'nameSuffix',
  'patches',
  'images',
  'components',
  'ignoreMissingComponents',
  'buildMetadata',
] as const

/** What a build takes from the spec, by which builds are cached: other fields don't affect it. */
export const editsOf = (spec: KustomizationSpec): Edits =>
  Object.fromEntries(editedFields.map(field => [field, spec[field]]))

/** The files as kustomize sees them. */
interface PreparedFiles {
  readonly files: FileSystem
  /** Paths of the files that a generated kustomization.yaml lists. */
  readonly manifests: readonly string[]
}

/** Flux's wording: it reports both of its attempts. */
const notAFolder = (file: string): string => `open /${file}: not a directory remove /${file}: not a directory`

/**
 * Prepares the kustomization.yaml to build: the folder's own, or a generated one, with the fields of the spec
 * merged in, as Flux's generator does. Fails if the file can't be read or a component is not a local path, and with BudgetExceeded.
 */
export const withKustomizationFile = (
  files: FileSystem,
  folder: string,
  edits: Edits,
  budget: Budget,
): PreparedFiles => {
  if (files.list(folder) === undefined) throw new Error(notAFolder(posix.join(folder, fileNames[0]!)))
  const own = ownFile(files, folder)
  const resources = own ? [] : [...manifestsBelow(files, folder, '.')]
  const { file, isAsWritten } = own
    ? rewriteKustomization(files.read(own)!, own, budget)
    : { file: generated(resources), isAsWritten: false }
  const found = own ? withOrigins(file) : file
  const edited = edit(found, edits, component => exists(files, posix.join(folder, component)))
  if (isAsWritten && edited === file) return { files, manifests: [] }
  const path = own ?? posix.join(folder, fileNames[0]!)
  return {
    files: withFile(files, path, Buffer.from(JSON.stringify(edited))),
    manifests: resources.map(resource => posix.join(folder, resource)).filter(file => files.read(file) !== undefined),
  }
}

/** The kustomization file of a folder, if it has one. */
const ownFile = (files: FileSystem, folder: string): string | undefined =>
  fileNames.map(name => posix.join(folder, name)).find(path => files.read(path) !== undefined)

/**
 * The fields of a folder's kustomization file that kustomize doesn't know, as `kustomization.yaml: patches.foo`: they are dropped,
 * as in Flux. Returns none if the file can't be read, as the build reports that, and none if it is too large for the main
 * thread.
 */
export const ignoredFieldsIn = (files: FileSystem, folder: string): readonly string[] => {
  const own = ownFile(files, folder)
  if (!own) return []
  try {
    return rewriteKustomization(files.read(own)!, own, smallBudget(defaultBuildLimits)).ignored.map(
      field => `${own}: ${field}`,
    )
  } catch {
    return []
  }
}

/** Without resources kustomize may consider the file empty. Flux then requests origins, which appear in the build. */
const withOrigins = (file: KustomizationFile): KustomizationFile =>
  file.resources?.length ? file : { ...file, buildMetadata: ['originAnnotations'] }

/** kustomize refuses an empty file; a namespace without objects has no effect. */
const generated = (resources: readonly string[]): KustomizationFile =>
  resources.length > 0 ? { resources } : { namespace: '_placeholder' }

/** Manifests in a folder and its subfolders, sorted by name; a folder with a kustomization file counts as one entry. */
function* manifestsBelow(files: FileSystem, folder: string, shown: string): Generator<string> {
  for (const name of files.list(folder) ?? []) {
    const path = posix.join(folder, name)
    const shownPath = `${shown}/${name}`
    if (files.list(path) === undefined) {
      if (/\.ya?ml$/.test(name)) yield shownPath
    } else if (fileNames.some(file => files.read(posix.join(path, file)) !== undefined)) yield shownPath
    else yield* manifestsBelow(files, path, shownPath)
  }
}

/** The same file if there is nothing to merge in. */
const edit = (file: KustomizationFile, wanted: Edits, hasComponent: (path: string) => boolean): KustomizationFile => {
  const components = (wanted.components ?? [])
    .map(requireLocal)
    .filter(component => !wanted.ignoreMissingComponents || hasComponent(component))
  const edits: KustomizationFile = {
    ...(wanted.targetNamespace && { namespace: wanted.targetNamespace }),
    ...(wanted.namePrefix && { namePrefix: wanted.namePrefix }),
    ...(wanted.nameSuffix && { nameSuffix: wanted.nameSuffix }),
    ...(wanted.patches?.length && { patches: [...(file.patches ?? []), ...wanted.patches] }),
    ...(components.length && { components: [...(file.components ?? []), ...components] }),
    ...(wanted.images?.length && { images: wanted.images.reduce(withImage, file.images ?? []) }),
    ...(wanted.buildMetadata?.length && { buildMetadata: wanted.buildMetadata }),
  }
  return Object.keys(edits).length > 0 ? { ...file, ...edits } : file
}

/** An image of the same name keeps the fields that are not set again; tag and digest count as one. */
const withImage = (images: readonly Image[], { name, newName, newTag, digest }: Image): readonly Image[] => {
  const at = images.findIndex(image => image.name === name)
  const { newTag: _, digest: __, ...before } = images[at] ?? { name }
  const version = newTag || digest ? { newTag, digest } : { newTag: images[at]?.newTag, digest: images[at]?.digest }
  const image = { ...before, ...(newName && { newName }), ...version }
  return at < 0 ? [...images, image] : images.with(at, image)
}

const remotePrefixes = ['git::', 'gh:', 'ssh://', 'https://', 'http://', 'git@', 'github.com:', 'github.com/']

const requireLocal = (component: string): string => {
  const path = component.toLowerCase()
  if (path.replace(/^file:\/\//, '').startsWith('/') || remotePrefixes.some(prefix => path.startsWith(prefix))) {
    throw new Error(`component path '${component}' must be local and relative`)
  }
  return component
}

const exists = (files: FileSystem, path: string): boolean =>
  files.list(path) !== undefined || files.read(path) !== undefined

const withFile = (files: FileSystem, path: string, content: Uint8Array): FileSystem => {
  const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  const name = posix.basename(path)
  return {
    read: requested => (requested === path ? content : files.read(requested)),
    list: requested => {
      const names = files.list(requested)
      return requested !== folder || names?.includes(name) ? names : [...(names ?? []), name].sort()
    },
  }
}
