import { isPending, type Release } from '../../../engines/helm/release/release.ts'
import { goJson } from '../../../engines/yaml/go-json.ts'
import { sha256Digest } from '../../../foundations/rules/sha256.ts'

/**
 * The digest of what a version of a release has applied: its chart, values, manifest and hooks. A version and those that are rolled back to it have the
 * same, while the digests in `status.history` are of the versions with their numbers and times.
 */
export const contentsDigest = ({ chart, config = {}, manifest = '', hooks = [] }: Release): string => {
  const { name = '', version = '' } = chart?.metadata ?? {}
  return sha256Digest(
    goJson({ name, version, config, manifest, hooks: hooks.map(({ path, manifest }) => [path, manifest]) }),
  )
}

/** The version to roll back to for these contents: one that was deployed or, as Helm keeps only so many, a failed attempt to return to it. Newest first. */
export const versionOf = <T extends { readonly release: Release }>(
  stored: readonly T[],
  digest: string,
): T | undefined => {
  const same = stored.filter(({ release }) => !isPending(release) && contentsDigest(release) === digest)
  return same.find(({ release: { info } }) => info.status !== 'failed') ?? same[0]
}
