import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ConnectionOptions } from '../../platform/http/connections.ts'
import type { RegistryCredentials } from '../oci/docker-config.ts'
import { InvalidName, nameOf, parseRepository } from '../oci/image-name.ts'
import { type Descriptor, type Index, isIndex, type Manifest } from '../oci/manifest.ts'
import type { OciClient, OciSession } from '../oci/oci-client.ts'
import { OciError } from '../oci/oci-error.ts'
import { NotVerified } from '../verify/not-verified.ts'
import type { SignedArtifact } from '../verify/notation/require-notation.ts'
import { ChartNotFound, type ChartRepository, RepositoryError } from './chart-repository.ts'
import { describeRegistryError } from './describe-registry-error.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import type { ChartVersion } from './index-file.ts'
import { fullVersion, pickTag } from './pick-version.ts'

export interface OciRepositoryOptions extends ConnectionOptions {
  /** Normalized: `oci://<host>/<path>`; charts are repositories below it. */
  readonly url: string
  readonly credentials?: RegistryCredentials
  readonly insecure: boolean
  readonly signal: AbortSignal
  /** Verifies signatures, as ArtifactVerifier does; absent to skip verification. */
  requireSignature?(session: OciSession, chart: SignedArtifact): Promise<boolean>
  readonly limits?: HelmLimits
}

const chartConfig = 'application/vnd.cncf.helm.config.v1+json'
const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const chartLayers = [chartLayer, 'application/tar+gzip']

/** Charts in a registry: one repository per chart, one tag per version, in which `_` replaces `+`. */
export const ociChartRepository = (options: OciRepositoryOptions, oci: OciClient): ChartRepository => {
  const { url, requireSignature, limits = helmLimits, ...access } = options
  const describeFailure = (error: unknown, name: string, path: string): string => {
    const requested = `${access.insecure ? 'http' : 'https'}://${url.replace(/^oci:\/\//, '').replace('/', '/v2/')}/${name}/${path}`
    return describeRegistryError(error, requested, access.credentials !== undefined)
  }
  /** Verified digests by address: the download uses the verified digest even if the tag has moved. */
  const verified = new Map<string, string>()

  const withSession = async <T>(name: string, work: (session: OciSession) => Promise<T>): Promise<T> => {
    const session = oci.open({ ...access, repository: repositoryOf(url, name) })
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }

  const versionOf = (name: string, version: string): ChartVersion => ({
    name,
    version,
    urls: [`${url}/${name}:${version}`],
    created: '',
    digest: '',
  })

  const find = async (name: string, range: string): Promise<ChartVersion> => {
    if (fullVersion(range)) return versionOf(name, range)
    const tags = await withSession(name, session => session.tags()).catch(error => {
      throw new RepositoryError(
        `could not get tags for ${JSON.stringify(name)}: could not fetch tags for "${url}/${name}": ${describeFailure(error, name, 'tags/list')}`,
        error,
      )
    })
    if (tags.length === 0) throw new RepositoryError(`unable to locate any tags in provided repository: ${name}`)
    const version = pick(
      tags.map(tag => tag.replaceAll('_', '+')),
      range,
    )
    if (version) return versionOf(name, version)
    throw new RepositoryError(`could not locate a version matching provided version string ${range}`)
  }

  const download = ({ name, version, urls: [address] }: ChartVersion): Promise<Buffer> =>
    withSession(name, async session => {
      const reference = verified.get(`${name}:${version}`) ?? tagOf(version)
      const { manifest } = await session.manifest(reference).catch(error => {
        const why = describeFailure(error, name, `manifests/${reference}`)
        throw new RepositoryError(`failed to perform "FetchReference" on source: ${why}`, error)
      })
      return session.blob(chartLayerOf(manifest), limits.maxChartBytes)
    }).catch(error => {
      throw new RepositoryError(`failed to get '${address}': ${errorMessage(error)}`, error)
    })

  const verify = async ({ name, version, urls: [address] }: ChartVersion): Promise<boolean> => {
    if (!requireSignature) throw new NotVerified('no verifiers available')
    try {
      return await withSession(name, async session => {
        const digest = await session.resolve(tagOf(version))
        const repository = nameOf(repositoryOf(url, name))
        const isVerified = await requireSignature(session, { digest, repository })
        verified.set(`${name}:${version}`, digest)
        return isVerified
      })
    } catch (error) {
      if (!(error instanceof NotVerified || error instanceof OciError)) throw error
      throw new NotVerified(`failed to verify ${address}: ${error.message}`, error)
    }
  }

  return { find, download, verify }
}

/** A chart has a config and a layer with Helm's media types; errors use Helm's wording. */
const chartLayerOf = (manifest: Manifest | Index): Descriptor => {
  const [config, layers] = isIndex(manifest) ? [undefined, []] : [manifest.config, manifest.layers]
  const layer = layers.find(({ mediaType }) => chartLayers.includes(mediaType))
  const hasConfig = config?.mediaType === chartConfig
  if (!layer && !hasConfig) {
    throw new RepositoryError('manifest does not contain minimum number of descriptors (2), descriptors found: 1')
  }
  if (!hasConfig) throw new RepositoryError(`could not load config with mediatype ${chartConfig}`)
  if (!layer) throw new RepositoryError(`manifest does not contain a layer with mediatype ${chartLayer}`)
  return layer
}

const tagOf = (version: string): string => version.replaceAll('+', '_')

/** An invalid range counts as a registry error, as in Flux. */
const pick = (tags: readonly string[], range: string): string | undefined => {
  try {
    return pickTag(tags, range)
  } catch (error) {
    throw error instanceof ChartNotFound ? new RepositoryError(error.message, error) : error
  }
}

const repositoryOf = (url: string, name: string) => {
  try {
    return parseRepository(`${url.replace(/^oci:\/\//, '')}/${name}`)
  } catch (error) {
    throw error instanceof InvalidName ? new RepositoryError(error.message, error) : error
  }
}
