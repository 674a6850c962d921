import { type ArtifactStore, contentFolder } from '../../lib/platform/ports/artifacts.ts'
import { fetchedFolder } from '../../lib/reconcile/source-artifact/shared-fetches.ts'

/** What a world of sources has stored. */
export const storedArtifacts = (artifacts: ArtifactStore) => ({
  /** Names in the artifact store, but of what artifacts share. */
  async stored(): Promise<string[]> {
    const names: string[] = []
    for await (const { name } of artifacts.list(''))
      if (!name.startsWith(contentFolder) && !name.startsWith(fetchedFolder)) names.push(name)
    return names.sort()
  },
  /** Checksums of the contents that artifacts share. */
  async contents(): Promise<string[]> {
    const contents = await Array.fromAsync(artifacts.list(contentFolder))
    return contents.map(({ name }) => name.slice(contentFolder.length)).sort()
  },
})
