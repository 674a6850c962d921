import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { withOwnerLabels } from '../clusters/apply/owner.ts'
import type { ClusterClient } from '../clusters/client/client.ts'
import { localRemotes, localTree } from '../compose/this-machine.ts'
import { ignoring, readPatterns } from '../engines/ignore/source-ignore.ts'
import type { FileSystem } from '../engines/kustomize/file-system.ts'
import type { Limits } from '../foundations/budget/budget.ts'
import { apiVersionOf, builtInKinds } from '../foundations/kinds/all.ts'
import type { Kustomization } from '../foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../foundations/kinds/object.ts'
import { createReferences, type References } from '../hub/references/references.ts'
import type { Hub, HubList, HubListQuery } from '../hub/store/hub.ts'
import { uncachedBuild } from '../reconcile/kustomization/build/build-cache.ts'
import { buildManifests, type Manifests } from '../reconcile/kustomization/build/build-manifests.ts'
import { type Locate, locateIn } from '../reconcile/kustomization/build/locate.ts'
import { ownerOf } from '../reconcile/kustomization/owner.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { CommandFailed } from './command-failed.ts'
import { maskSops } from './mask-sops.ts'
import { buildLimitsOption } from './option-values.ts'

/** Options of `build kustomization` and `diff kustomization`: flux's. */
export interface LocalBuildOptions {
  readonly path: string
  readonly kustomizationFile?: string
  readonly ignorePaths: readonly string[]
  readonly strictSubstitute: boolean
  readonly recursive: boolean
  /** What a build may cost; unlimited by default. */
  readonly buildLimits: Limits
  /** Local folders for sources, by `Kind/namespace/name`. */
  readonly localSources: ReadonlyMap<string, string>
}

/** Adds flux's options of `build kustomization` and `diff kustomization`. */
export const withLocalBuildOptions = (command: Command): Command =>
  command
    .requiredOption('--path <dir>', 'local folder to use as spec.path')
    .option('--kustomization-file <file>', 'read the Kustomization from this file instead of the hub')
    .option('--ignore-paths <patterns>', 'ignore these paths (.gitignore patterns, separated by commas)', splitList, [])
    .option('--strict-substitute', 'fail on variables that are not set and have no default', false)
    .option('-r, --recursive', 'also build the Kustomizations among the objects', false)
    .option(
      '--local-sources <list>',
      'local folders for their sources, as Kind/namespace/name=path, separated by commas',
      sourceFolders,
      new Map(),
    )
    .addOption(buildLimitsOption())
    .option('--in-memory-build', 'accepted for compatibility with flux: files on disk are never changed', true)

/** For commander: a list separated by commas, without empty parts. */
export const splitList = (text: string): string[] => text.split(',').filter(part => part !== '')

const sourceFolders = (text: string, known: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const pairs = splitList(text).map(pair => {
    const [source = '', folder, ...more] = pair.split('=')
    if (!/^[^/]+\/[^/]+\/[^/]+$/.test(source) || !folder || more.length > 0)
      throw new InvalidArgumentError('It must be a list of Kind/namespace/name=path.')
    return [source, folder] as const
  })
  return new Map([...known, ...pairs])
}

/** The local folder for spec.path. */
export const requireFolder = (path: string, exitCode = 1): string => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return resolve(path)
  throw new CommandFailed(`invalid resource path ${JSON.stringify(path)}: no such folder`, { exitCode })
}

/** Where to look up variables; undefined = nowhere: ConfigMaps and Secrets are skipped (--dry-run). */
export type Lookup = Pick<Hub, 'get' | 'list'> | undefined

/** The hub through its API. */
export const lookupIn = (cluster: ClusterClient, signal: AbortSignal): NonNullable<Lookup> => ({
  get: async <T extends KubernetesObject>(ref: ObjectRef) =>
    (await cluster.get(servedVersionOf(ref), ref, { signal })) as T | undefined,
  list: async <T extends KubernetesObject>({ group, kind, namespace, labelSelector }: HubListQuery) => {
    const query = { apiVersion: servedVersionOf({ group, kind }), kind }
    const filters = { ...(namespace !== undefined && { namespace }), ...(labelSelector && { labelSelector }) }
    return (await cluster.list({ ...query, ...filters }, { signal })) as HubList<T>
  },
})

const servedVersionOf = ({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>): string => {
  const known = builtInKinds.find(each => each.group === group && each.kind === kind)
  if (known) return apiVersionOf(known)
  return group ? `${group}/v1` : 'v1'
}

/** Resolves references through a lookup. No command needs to know what refers to an object. */
export const referencesIn = (lookup: NonNullable<Lookup>): References =>
  createReferences({ ...lookup, async *referrers() {} })

const nowhere: NonNullable<Lookup> = {
  get: async () => undefined,
  list: async () => ({ items: [], resourceVersion: '' }),
}

/** The built objects, and where they come from. */
export interface LocalBuild extends Pick<Manifests, 'objects' | 'originOf' | 'digest' | 'secrets'> {
  readonly locate: Locate
}

/** Builds a Kustomization from a folder of this machine, with ciphertext masked; decrypts nothing. */
export const buildLocally = (
  kustomization: Kustomization,
  folder: string,
  lookup: Lookup,
  options: Pick<LocalBuildOptions, 'strictSubstitute' | 'ignorePaths' | 'buildLimits'>,
): Promise<LocalBuild> => {
  const files = withoutIgnored(localTree(), folder, options.ignorePaths)
  return buildFrom(kustomization, { files, folder: folder.slice(1) }, lookup, options)
}

/** The same from a folder of any files. */
export const buildFrom = async (
  kustomization: Kustomization,
  { files, folder }: { readonly files: FileSystem; readonly folder: string },
  lookup: Lookup,
  { strictSubstitute, buildLimits }: Pick<LocalBuildOptions, 'strictSubstitute' | 'buildLimits'>,
): Promise<LocalBuild> => {
  const source = { artifact: noArtifact, files, folder }
  const settings = { ...defaultKustomizationSettings, strictSubstitution: strictSubstitute, buildLimits }
  const remotes = localRemotes()
  const references = referencesIn(lookup ?? nowhere)
  const ports = { references, cached: uncachedBuild, remotes }
  try {
    const resolvable = lookup ? kustomization : withoutSubstituteFrom(kustomization)
    const { objects, originOf, digest, secrets } = await buildManifests(resolvable, source, ports, settings)
    const built = new Map(objects.map(object => [withOwnerLabels(maskSops(object), ownerOf(kustomization)), object]))
    return {
      objects: [...built.keys()],
      originOf: object => originOf(built.get(object) ?? object),
      locate: locateIn(files, kustomization.spec),
      digest,
      secrets,
    }
  } catch (error) {
    throw new CommandFailed((error as Error).message, { cause: error })
  } finally {
    await remotes.close()
  }
}

const noArtifact = { path: '', url: '', revision: '', digest: '', lastUpdateTime: '', size: 0 }

const withoutSubstituteFrom = (kustomization: Kustomization): Kustomization => {
  const { postBuild } = kustomization.spec
  return postBuild
    ? { ...kustomization, spec: { ...kustomization.spec, postBuild: { ...postBuild, substituteFrom: [] } } }
    : kustomization
}

/** Hides paths that match the patterns, relative to the folder: a generated kustomization excludes them. */
const withoutIgnored = (files: FileSystem, folder: string, patterns: readonly string[]): FileSystem => {
  if (patterns.length === 0) return files
  const ignores = ignoring(readPatterns(patterns.join('\n')))
  const root = folder.slice(1)
  return {
    ...files,
    list: path => {
      const names = files.list(path)
      if (path !== root && !path.startsWith(`${root}/`)) return names
      const above = path === root ? [] : path.slice(root.length + 1).split('/')
      return names?.filter(name => !ignores([...above, name], files.list(join(path, name)) !== undefined))
    },
  }
}
