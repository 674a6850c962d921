import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { GitInclude, GitRepository } from '../../foundations/kinds/git-repository.ts'

/** Whether the included artifacts differ from those in the stored artifact. */
export const includesDiffer = (now: readonly Artifact[], before: readonly Artifact[] = []): boolean =>
  !isSame(now, before, (a, b) => a.revision === b.revision && a.digest === b.digest)

/**
 * Whether the same commit would now give another artifact, because the ignore rules, includes or checkout options have
 * changed.
 */
export const contentConfigChanged = ({ spec, status }: GitRepository, includes: readonly Artifact[]): boolean =>
  spec.ignore !== status?.observedIgnore ||
  Boolean(spec.recurseSubmodules) !== Boolean(status?.observedRecurseSubmodules) ||
  !isSame(spec.sparseCheckout, status?.observedSparseCheckout, (a, b) => a === b) ||
  !isSame(spec.include, status?.observedInclude, isSameInclude) ||
  includesDiffer(includes, status?.includedArtifacts)

const isSameInclude = (a: GitInclude, b: GitInclude): boolean =>
  a.repository.name === b.repository.name &&
  (a.fromPath ?? '') === (b.fromPath ?? '') &&
  (a.toPath ?? '') === (b.toPath ?? '')

const isSame = <T>(a: readonly T[] = [], b: readonly T[] = [], equal: (a: T, b: T) => boolean): boolean =>
  a.length === b.length && a.every((item, index) => equal(item, b[index]!))
