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
  /** Requires the signatures that are asked for, as ArtifactVerifier does; absent = they are of no interest. */
  requireSignature?(visit: OciSession, chart: SignedArtifact): Promise<boolean>
  readonly limits?: HelmLimits
}

const chartConfig = 'application/vnd.cncf.helm.config.v1+json'
const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const chartLayers = [chartLayer, 'application/tar+gzip']

/** Charts in a registry: a repository each, and a tag for each version, in which `_` stands for `+`. */
export const ociChartRepository = (options: OciRepositoryOptions, oci: OciClient): ChartRepository => {
  const { url, requireSignature, limits = helmLimits, ...access } = options
  const wordsOfFailure = (error: unknown, name: string, path: string): string => {
    const asked = `${access.insecure ? 'http' : 'https'}://${url.replace(/^oci:\/\//, '').replace('/', '/v2/')}/${name}/${path}`
    return describeRegistryError(error, asked, access.credentials !== undefined)
  }
  /** Digests whose signatures were good: what is downloaded is what was verified, wherever the tag leads by then. */
  const verified = new Map<string, string>()

  const visiting = async <T>(name: string, work: (visit: OciSession) => Promise<T>): Promise<T> => {
    const visit = oci.visit({ ...access, repository: repositoryOf(url, name) })
    try {
      return await work(visit)
    } finally {
      await visit.close()
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
    const tags = await visiting(name, visit => visit.tags()).catch(error => {
      throw new RepositoryError(
        `could not get tags for ${JSON.stringify(name)}: could not fetch tags for "${url}/${name}": ${wordsOfFailure(error, name, 'tags/list')}`,
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
    visiting(name, async visit => {
      const reference = verified.get(`${name}:${version}`) ?? tagOf(version)
      const { manifest } = await visit.manifest(reference).catch(error => {
        const why = wordsOfFailure(error, name, `manifests/${reference}`)
        throw new RepositoryError(`failed to perform "FetchReference" on source: ${why}`, error)
      })
      return visit.blob(chartLayerOf(manifest), limits.maxChartBytes)
    }).catch(error => {
      throw new RepositoryError(`failed to get '${address}': ${errorMessage(error)}`, error)
    })

  const verify = async ({ name, version, urls: [address] }: ChartVersion): Promise<boolean> => {
    if (!requireSignature) throw new NotVerified('no verifiers available')
    try {
      return await visiting(name, async visit => {
        const digest = await visit.resolve(tagOf(version))
        const repository = nameOf(repositoryOf(url, name))
        const isVerified = await requireSignature(visit, { digest, repository })
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

/** A chart has a configuration and a layer of Helm's; the words are those of Helm. */
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

/** A range that is none counts as a failure of the registry, as in Flux. */
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
