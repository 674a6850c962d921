import { createHash } from 'node:crypto'
import { type Artifact, blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { extract } from '../../../lib/sources/artifact/extract.ts'
import { objectNamed } from './refs.ts'
import type { KeelsonWorld } from './world.ts'

type Recorded = Readonly<Record<string, string>>

/** The files in a source's artifact, each as it is recorded: by its digest, or as it is. `key` is `Kind/namespace/name`. */
export const artifactFilesOf = async (world: KeelsonWorld, key: string, recorded: Recorded): Promise<Recorded> => {
  const [kind, namespace, name] = key.split('/')
  const { ref } = objectNamed(`source.toolkit.fluxcd.io/v1:${kind}/${namespace}/${name}`, '')
  const object = await world.hub.get<KubernetesObject & { status?: { artifact?: Artifact } }>(ref)
  const artifact = object?.status?.artifact
  const blob = artifact && (await world.artifacts.get(blobNameOf(artifact)))
  if (!blob) return {}
  const shown = (path: string, content: Uint8Array) =>
    recorded[path] === undefined || recorded[path].startsWith('sha256:')
      ? `sha256:${createHash('sha256').update(content).digest('hex')}`
      : Buffer.from(content).toString('utf8')
  return Object.fromEntries([...(await filesIn(blob))].map(([path, content]) => [path, shown(path, content)]))
}

/** Of a Helm repository, the artifact is the index. */
const filesIn = async (blob: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> => {
  const isArchive = blob[0] === 0x1f && blob[1] === 0x8b
  if (!isArchive) return new Map([['(not a tar archive)', blob]])
  return new Map([...(await extract(blob))].map(([path, { content }]) => [path, content]))
}
