import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { archiveInto, sourceIgnores } from '../../sources/artifact/archive.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import { revisionOf, type Target } from '../../sources/git/reference.ts'
import { spool } from '../../sources/spool.ts'
import { type StoragePorts, type StorageSettings, storeArtifact } from '../source-artifact/artifact-storage.ts'
import { storageFailed } from './halts.ts'

/** Stores the tree, without the files that spec.ignore and its ignore files exclude. Halts if it can't be stored. */
export const storeTree = async (
  tree: SourceTree,
  target: Target,
  repository: GitRepository,
  ports: StoragePorts,
  settings: StorageSettings,
): Promise<Artifact> => {
  using packed = spool()
  const digest = await archiveInto(packed, tree, sourceIgnores(tree, repository.spec.ignore))
  const content = packed.isOnDisk ? packed : packed.read(0, packed.length)
  const made = { content, digest, file: fileOf(target), revision: revisionOf(target) }
  return await storeArtifact(repository, made, ports, settings).catch(error => {
    const reason = errorMessage(error)
    throw storageFailed('ArchiveOperationFailed', `unable to archive artifact to storage: ${reason}`, error)
  })
}

/** Name of the artifact's file. */
export const fileOf = ({ commit }: Pick<Target, 'commit'>): string => `${commit}.tar.gz`
