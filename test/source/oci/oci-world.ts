import { blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import type { OciRepository } from '../../../lib/foundations/kinds/oci-repository.ts'
import { extract } from '../../../lib/sources/artifact/extract.ts'
import { type ImageContent, pushImage, pushManifest } from '../../bed/push-image.ts'
import { type RegistryOptions, registryServer } from '../../bed/registry-server.ts'
import { tarGzip } from '../../bed/tar-gzip.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { shown } from '../../unit/reconcile/world.ts'
import { openSourceWorld, type SourceWorld } from '../source-world.ts'

export const group = 'source.toolkit.fluxcd.io'
export const refOf = (name: string) => ({ group, kind: 'OCIRepository', namespace: 'default', name })
export const minute = 60_000
const author = { fieldManager: 'author' }

export const fluxLayer = 'application/vnd.cncf.flux.content.v1.tar+gzip'

/** A layer of Flux's with these files. */
export const filesLayer = (files: Readonly<Record<string, string>>): ImageContent['layers'][0] => ({
  mediaType: fluxLayer,
  content: tarGzip(files),
})

/** A real registry that goes when the running test ends, and what is needed to fill it. */
export const openRegistry = async (options: RegistryOptions = {}) => {
  const server = endWithTest(await registryServer(options))
  const { auth } = options
  const authorization = auth && `Basic ${btoa(`${auth.username}:${auth.password}`)}`
  const target = (repository: string, ...tags: string[]) => ({
    origin: server.directOrigin,
    repository,
    tags,
    ...(authorization && { authorization }),
  })
  return {
    server,
    target,
    url: (repository: string) => `oci://${server.host}/${repository}`,
    push: (image: ImageContent, repository: string, ...tags: string[]) => pushImage(image, target(repository, ...tags)),
    /** Requests since the last call, as `METHOD /path`. */
    requests: () => server.requests.splice(0).map(({ method, path }) => `${method} ${path}`),
  }
}

/** OCIRepositories on top of a world of sources. */
export const withOci = (world: SourceWorld) => ({
  ...world,
  create: (kind: string, name: string, rest: object) =>
    world.hub.create({ apiVersion: 'v1', kind, metadata: { name, namespace: 'default' }, ...rest }, author),
  async applies(name: string, spec: Partial<OciRepository['spec']> & { readonly url: string }, more: object = {}) {
    const object = {
      apiVersion: `${group}/v1`,
      kind: 'OCIRepository',
      metadata: { name, namespace: 'default', ...more },
      spec: { interval: '10m', insecure: true, ...spec },
    }
    await world.hub.patch(refOf(name), { type: 'apply', object }, { ...author, force: true })
    await world.settle()
  },
  async conditions(name: string) {
    return shown(await world.hub.get(refOf(name)))
  },
  async statusOf(name: string) {
    return (await world.hub.get<OciRepository>(refOf(name)))?.status
  },
  async bytes(name: string) {
    const status = (await world.hub.get<OciRepository>(refOf(name)))?.status
    return (await world.platform.artifacts.get(blobNameOf(status!.artifact!)))!
  },
  async files(name: string) {
    const tree = await extract(await this.bytes(name))
    return Object.fromEntries([...tree].map(([path, { content }]) => [path, Buffer.from(content).toString()]))
  },
})

export const openOciWorld = async (...options: Parameters<typeof openSourceWorld>) =>
  withOci(await openSourceWorld(...options))

/** A Secret's data for a registry, as kubectl create secret docker-registry makes it. */
export const dockerConfig = (auths: Readonly<Record<string, object>>) => ({
  type: 'kubernetes.io/dockerconfigjson',
  stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
})

const manifestType = 'application/vnd.oci.image.manifest.v1+json'

/** How a registry describes the manifest at a digest. */
export const descriptorOf = async (registry: Registry, name: string, digest: string) => {
  const url = `${registry.server.directOrigin}/v2/${name}/manifests/${digest}`
  const { headers } = await fetch(url, { method: 'HEAD', headers: { accept: manifestType } })
  return { mediaType: manifestType, digest, size: Number(headers.get('content-length')) }
}

type Registry = Awaited<ReturnType<typeof openRegistry>>

/** Attaches something to a manifest where a registry can't list referrers: with an index under a tag, which it returns. */
export const attachReferrer = async (
  registry: Registry,
  name: string,
  subject: { readonly digest: string },
  artifactType: string,
  layer: ImageContent['layers'][0],
): Promise<string> => {
  const config = { mediaType: artifactType, content: '{}' }
  const digest = await pushImage({ config, layers: [layer], subject }, registry.target(name))
  const descriptor = { ...(await descriptorOf(registry, name, digest)), artifactType }
  const mediaType = 'application/vnd.oci.image.index.v1+json'
  const index = JSON.stringify({ schemaVersion: 2, mediaType, manifests: [descriptor] })
  await pushManifest(index, mediaType, registry.target(name, subject.digest.replace(':', '-')))
  return index
}
