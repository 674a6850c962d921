import { createHash } from 'node:crypto'
import { type Artifact, blobNameOf } from '../../../lib/kinds/artifact.ts'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { extract } from '../../../lib/source/artifact/extract.ts'
import { objectNamed } from './refs.ts'
import type { World } from './world.ts'

/** The files in a source's artifact, each with the digest of its content. `key` is `Kind/namespace/name`. */
export const artifactFilesOf = async (world: World, key: string): Promise<Readonly<Record<string, string>>> => {
  const [kind, namespace, name] = key.split('/')
  const { ref } = objectNamed(`source.toolkit.fluxcd.io/v1:${kind}/${namespace}/${name}`, '')
  const object = await world.core.hub.get<KubernetesObject & { status?: { artifact?: Artifact } }>(ref)
  const artifact = object?.status?.artifact
  const blob = artifact && (await world.artifacts.get(blobNameOf(artifact)))
  if (!blob) return {}
  const digest = (content: Uint8Array) => `sha256:${createHash('sha256').update(content).digest('hex')}`
  return Object.fromEntries([...(await extract(blob))].map(([path, { content }]) => [path, digest(content)]))
}
