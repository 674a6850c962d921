import { pushImage } from '../../../bed/push-image.ts'
import { type RegistryServer, registryServer } from '../../../bed/registry-server.ts'
import { tarGzip } from '../../../bed/tar-gzip.ts'
import { bytesOf, type Files } from '../scenario.ts'
import type { Serve } from './server.ts'

interface RecordedImage {
  readonly tag?: string
  readonly tags?: readonly string[]
  readonly name?: string
  /** Pushed by a step, under this name. */
  readonly later?: string
  /** In the registry that wants `user` and `secret-password`. */
  readonly auth?: boolean
  readonly artifact: {
    readonly config?: { readonly mediaType: string; readonly content: string }
    readonly layers: readonly RecordedLayer[]
    readonly annotations?: Readonly<Record<string, string>>
  }
}

interface RecordedLayer {
  readonly mediaType: string
  readonly files?: Files
  readonly chart?: Files
  readonly content?: string
  readonly annotations?: Readonly<Record<string, string>>
}

const credentials = { username: 'user', password: 'secret-password' }

/** The OCI artifacts of a scenario in real registries, one of which wants `user` and `secret-password`. */
export const serveOci: Serve = async ({ id, oci }) => {
  if (!oci) return undefined
  const repositories = oci as Readonly<Record<string, readonly RecordedImage[]>>
  const open = await registryServer()
  const closed = await registryServer({ auth: credentials })
  const placeholders = new Map([
    ['OCI_URL', `oci://${open.host}/${id}`],
    ['OCI_HOST', open.host],
    ['OCI_AUTH_URL', `oci://${closed.host}/${id}`],
    ['OCI_AUTH_HOST', closed.host],
  ])
  const push = async (repo: string, image: RecordedImage): Promise<void> => {
    const tags = image.tags ?? (image.tag ? [image.tag] : [])
    const registry: RegistryServer = image.auth ? closed : open
    const digest = await pushImage(
      { ...image.artifact, layers: image.artifact.layers.map(layerOf) },
      {
        origin: `http://${registry.host}`,
        repository: `${id}/${repo}`,
        tags,
        ...(image.auth && { authorization: `Basic ${btoa(`${credentials.username}:${credentials.password}`)}` }),
      },
    )
    const name = image.name ?? `OCI_${repo}_${tags[0]}`.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    placeholders.set(name, digest.slice('sha256:'.length))
  }
  for (const [repo, images] of Object.entries(repositories)) {
    for (const image of images) if (!image.later) await push(repo, image)
  }
  return {
    placeholders,
    operations: {
      pushOCI: ({ repo, name }: { readonly repo: string; readonly name: string }) =>
        push(repo, repositories[repo]!.find(({ later }) => later === name)!),
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]()
      await closed[Symbol.asyncDispose]()
    },
  }
}

const layerOf = ({ mediaType, files, chart, content, annotations }: RecordedLayer) => ({
  mediaType,
  content: content ?? tarGzip(packed(files ?? chart ?? {}, chart ? `${chartName(chart)}/` : '')),
  ...(annotations && { annotations }),
})

/** Contents by path, below a prefix. */
export const packed = (files: Files, prefix: string): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([path, file]) => [prefix + path, bytesOf(file)]))

/** What a chart calls itself. */
export const chartName = (chart: Files): string =>
  /^name: *"?([^"\n]+)/m.exec(bytesOf(chart['Chart.yaml']!).toString())![1]!
