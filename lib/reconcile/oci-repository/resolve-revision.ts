import { RE2JS } from 're2js'
import { InvalidConstraint, parseConstraint } from '../../engines/semver/constraint.ts'
import { highestTags } from '../../engines/semver/matching-tags.ts'
import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { nameOf, type RepositoryName } from '../../sources/oci/image-name.ts'
import type { OciClient, OciSession } from '../../sources/oci/oci-client.ts'
import { OciError } from '../../sources/oci/oci-error.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { fetchFailed } from './halts.ts'
import type { Access } from './load-access.ts'

/** The result of resolving spec.ref. */
export interface Resolved {
  readonly digest: string
  /** `<tag>@<digest>`, or only the digest if the spec has one. */
  readonly revision: string
  /** The full reference: `<host>/<path>:<tag>`. */
  readonly name: string
}

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'

/** Precedence: digest, semver range, tag; the default is `latest`. Halts if the registry fails. */
export const resolveRevision = async (
  session: OciSession,
  repository: RepositoryName,
  object: OciRepository,
  pass: Pass<OciRepository>,
): Promise<Resolved> => {
  const { digest, semver, tag } = object.spec.ref ?? {}
  if (digest) return { digest, revision: digest, name: `${nameOf(repository)}@${digest}` }
  const chosen = semver ? await newestTag(session, semver, object, pass) : tag || 'latest'
  const resolved = await session.resolve(chosen).catch(error => {
    pass.signal.throwIfAborted()
    if (!(error instanceof OciError)) throw error
    throw fetchFailed('OCIArtifactPullFailed', `failed to determine artifact digest: ${error.message}`, error)
  })
  return { digest: resolved, revision: `${chosen}@${resolved}`, name: `${nameOf(repository)}:${chosen}` }
}

interface RevisionRequest {
  readonly access: Access
  readonly object: OciRepository
}

/**
 * The same in a dry run: OCIRepositories of all namespaces with the same address, reference and access share one response, since each would get
 * the same. If the registry does not respond, each gets a pass of its own, which repeats the request.
 */
export const sharedRevision = (
  oci: OciClient,
  { access, object }: RevisionRequest,
  pass: Pass<OciRepository>,
): Promise<Resolved> => {
  const { ref = {}, layerSelector } = object.spec
  const key = sha256Hex(JSON.stringify([access, ref, layerSelector?.mediaType ?? null]))
  return pass.dryRun!.once(`oci ${key}`, async signal => {
    const session = oci.open({ ...access, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutOf(object))]) })
    return resolveRevision(session, access.repository, object, { ...pass, signal }).finally(session.close)
  })
}

const newestTag = async (
  session: OciSession,
  range: string,
  { spec }: OciRepository,
  pass: Pass<OciRepository>,
): Promise<string> => {
  try {
    const filter = spec.ref?.semverFilter ? RE2JS.compile(spec.ref.semverFilter) : undefined
    const tags = (await session.tags()).filter(tag => !filter || filter.matcher(tag).find())
    // Tags can't contain `+`: Helm replaces it with `_` before the build metadata of a chart's version.
    const isChart = spec.layerSelector?.mediaType === chartLayer
    const versions = isChart ? tags.map(tag => tag.replaceAll('_', '+')) : tags
    const [newest] = highestTags(parseConstraint(range), versions)
    if (newest === undefined) throw new NoMatch(`no match found for semver: ${range}`)
    return isChart ? newest.replaceAll('+', '_') : newest
  } catch (error) {
    pass.signal.throwIfAborted()
    const reason =
      error instanceof InvalidConstraint ? `semver '${range}' parse error: ${error.message}` : errorMessage(error)
    throw fetchFailed('ReadOperationFailed', `failed to determine the artifact tag for '${spec.url}': ${reason}`, error)
  }
}

class NoMatch extends Error {}
