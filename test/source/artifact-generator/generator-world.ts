import { type Artifact, blobNameOf, folderOf } from '../../../lib/foundations/kinds/artifact.ts'
import type { ArtifactGenerator } from '../../../lib/foundations/kinds/artifact-generator.ts'
import type { ExternalArtifact } from '../../../lib/foundations/kinds/external-artifact.ts'
import { type KubernetesObject, refOf } from '../../../lib/foundations/kinds/object.ts'
import { artifactGeneratorReconciler } from '../../../lib/reconcile/artifact-generator/artifact-generator.ts'
import type { GeneratorSettings } from '../../../lib/reconcile/artifact-generator/context.ts'
import { outputWriter } from '../../../lib/reconcile/artifact-generator/output-writer.ts'
import { enqueueDependents } from '../../../lib/reconcile/runtime/news.ts'
import type { Reconciler } from '../../../lib/reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../../../lib/reconcile/source-artifact/read-artifact.ts'
import { archive } from '../../../lib/sources/artifact/archive.ts'
import { extract } from '../../../lib/sources/artifact/extract.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { openWorld, shown } from '../../unit/reconcile/world.ts'
import { sourceSpecs } from './source-specs.ts'
import { type Push, type StoryFiles, sourceAddress, treeOf } from './stories.ts'

export const minute = 60_000
const author = { fieldManager: 'author' }
export const generatorRef = (name: string, namespace = 'default') => ({
  ...{ group: 'source.extensions.fluxcd.io', kind: 'ArtifactGenerator', namespace, name },
})
export const outputRef = (name: string, namespace = 'default') => ({
  ...{ group: 'source.toolkit.fluxcd.io', kind: 'ExternalArtifact', namespace, name },
})

const settingsOf = (choices: Partial<GeneratorSettings>): GeneratorSettings => ({
  artifactAddress: 'http://hub.example',
  retention: { records: 2, ttlMs: minute },
  noCrossNamespaceRefs: false,
  requeueDependencyMs: 30_000,
  ...choices,
})

/** A hub that makes the artifacts of ArtifactGenerators; it goes when the running test ends. */
export const openGeneratorWorld = async (choices: Partial<GeneratorSettings> = {}) => {
  /** What other controllers serve, by URL. */
  const served = new Map<string, Uint8Array>()
  const download = async (url: string) => {
    const content = served.get(url)
    if (!content) throw new Error(`nothing is served at ${url}`)
    return content
  }
  let reconcilers: readonly Reconciler<KubernetesObject>[] = []
  const world = await openWorld(ports => {
    const reconciler = artifactGeneratorReconciler(
      { ...ports, outputs: outputWriter(ports.hub), refetch: refetchThrough(ports), download },
      settingsOf(choices),
    )
    reconcilers = [reconciler as Reconciler<KubernetesObject>]
    return reconcilers
  })
  endWithTest({ [Symbol.asyncDispose]: world.close })
  const { hub, platform, settle } = world
  const get = (name: string, namespace?: string) => hub.get<ArtifactGenerator>(generatorRef(name, namespace))
  const output = (name: string, namespace?: string) => hub.get<ExternalArtifact>(outputRef(name, namespace))

  /** Gives a source these files, as its controller would, and has those told that use it. */
  const give = async (
    { name, kind, revision, files, metadata, isForged }: Push,
    namespace = 'default',
  ): Promise<Artifact | undefined> => {
    const object = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind, metadata: { name, namespace } }
    if (namespace !== 'default')
      await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, author)
    if (!(await hub.get(refOf(object)))) await hub.create({ ...object, spec: sourceSpecs[kind] ?? {} }, author)
    await settle()
    if (!files) return undefined
    const packed = await archive(treeOf(files), () => false)
    const digest = isForged ? `sha256:${'0'.repeat(64)}` : packed.digest
    const artifact = {
      ...{ digest, revision, path: `${folderOf(object)}${digest.slice(7, 20)}.tar.gz` },
      ...{ url: `${sourceAddress}/${name}/${packed.digest}.tar.gz`, lastUpdateTime: '2026-01-01T00:00:00Z' },
      ...(metadata && { metadata }),
    }
    if (kind === 'ExternalArtifact') served.set(artifact.url, packed.content)
    else await platform.artifacts.put(blobNameOf(artifact), packed.content)
    const patch = { type: 'merge', patch: { status: { artifact } } } as const
    await hub.patch(refOf(object), patch, { ...author, subresource: 'status' })
    await enqueueDependents(world.ports, reconcilers, refOf(object))
    await settle()
    return artifact
  }

  const push = async (
    name: string,
    files: StoryFiles,
    { namespace, ...more }: Partial<Push> & { readonly namespace?: string } = {},
  ): Promise<Artifact> =>
    (await give({ name, kind: 'GitRepository', revision: 'main@sha1:1', files, ...more }, namespace))!

  return {
    ...world,
    get,
    output,
    give,
    push,
    async generate(name: string, spec: object, metadata: object = {}) {
      const object = {
        apiVersion: 'source.extensions.fluxcd.io/v1beta1',
        ...{ kind: 'ArtifactGenerator', metadata: { name, namespace: 'default', ...metadata }, spec },
      }
      await hub.patch(refOf(object), { type: 'apply', object }, { ...author, force: true })
      await settle()
    },
    async annotate(name: string, annotations: Readonly<Record<string, string | null>>) {
      await hub.patch(generatorRef(name), { type: 'merge', patch: { metadata: { annotations } } }, author)
      await settle()
    },
    conditions: async (name: string) => shown(await get(name)).toSorted(),
    events: (name: string) => world.eventsOf(generatorRef(name)),
    /** The files of an output, by path. */
    async files(name: string): Promise<Readonly<Record<string, string>>> {
      const { artifact } = (await output(name))?.status ?? {}
      const content = artifact && (await platform.artifacts.get(blobNameOf(artifact)))
      if (!content) return {}
      const tree = await extract(content)
      return Object.fromEntries([...tree].map(([path, file]) => [path, Buffer.from(file.content).toString()]))
    },
    blobs: async (prefix = 'externalartifact/') =>
      (await Array.fromAsync(platform.artifacts.list(prefix))).map(({ name }) => name).sort(),
  }
}

export const repo = { alias: 'repo', kind: 'GitRepository', name: 'app' }
/** A spec that copies the folders of apps, an artifact each. */
export const specOf = (...apps: readonly string[]) => ({
  sources: [repo],
  artifacts: apps.map(name => ({ name, copy: [{ from: `@repo/apps/${name}/**`, to: '@artifact/' }] })),
})
