import { fetchArtifact } from '../compose/this-machine.ts'
import type { Artifact } from '../foundations/kinds/artifact.ts'
import { requireDigest } from '../reconcile/source-artifact/read-artifact.ts'
import { CommandFailed } from './command-failed.ts'

/** The content of an artifact, from the hub's address for artifacts. Fails with CommandFailed if it is unreachable or another one. */
export const downloadArtifact = async ({ url, digest }: Artifact): Promise<Uint8Array> => {
  try {
    const content = await fetchArtifact(url)
    requireDigest(content, digest)
    return content
  } catch (error) {
    const { message } = error as Error
    throw new CommandFailed(`${message}; if the hub's artifacts are not reachable, pass the files with --path`, {
      cause: error,
    })
  }
}
