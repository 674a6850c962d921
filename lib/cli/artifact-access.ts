import { type Command, Option } from 'commander'
import { withRegistry } from '../compose/registry-session.ts'
import type { RegistryCredentials } from '../sources/oci/docker-config.ts'
import { InvalidName, nameOf, parseRepository, type RepositoryName } from '../sources/oci/image-name.ts'
import { isDigest } from '../sources/oci/manifest.ts'
import type { OciSession } from '../sources/oci/oci-client.ts'
import { OciError } from '../sources/oci/oci-error.ts'
import { CommandFailed } from './command-failed.ts'
import { dockerLogin } from './docker-login.ts'
import { duration } from './option-values.ts'

/** Options of the commands for artifacts in registries: flux's. */
export interface RegistryOptions {
  readonly creds?: string
  readonly provider: 'generic' | 'aws' | 'azure' | 'gcp'
  readonly insecureRegistry: boolean
  /** Milliseconds. */
  readonly timeout: number
}

/** Adds flux's options of `pull artifact` and its kin. */
export const withRegistryOptions = (command: Command): Command =>
  command
    .option('--creds <user:password>', 'credentials for the registry (default: those of docker login)')
    .addOption(
      new Option('--provider <cloud>', 'log in with your identity in this cloud')
        .choices(['generic', 'aws', 'azure', 'gcp'])
        .default('generic'),
    )
    .option('--insecure-registry', 'allow a registry without TLS', false)
    .addOption(
      new Option('--timeout <duration>', 'time limit of the command').argParser(duration).default(300_000, '5m'),
    )

export interface ArtifactAddress {
  readonly repository: RepositoryName
  /** A tag or a digest. */
  readonly reference: string
}

/** Parses `oci://<host>/<path>`, followed by `:<tag>` or `@<digest>`. */
export const artifactAddress = (url: string): ArtifactAddress => {
  const [, address, tag = 'latest', digest] = /^oci:\/\/(.+?)(?::([\w][\w.-]{0,127}))?(?:@([^@]+))?$/.exec(url) ?? []
  if (!address) throw new CommandFailed(`'${url}' is not an artifact: it must be in the form oci://<host>/<path>:<tag>`)
  if (digest !== undefined && !isDigest(digest)) throw new CommandFailed(`'${url}': ${digest} is not a digest`)
  try {
    return { repository: parseRepository(address), reference: digest ?? tag }
  } catch (error) {
    if (!(error instanceof InvalidName)) throw error
    throw new CommandFailed(`'${url}' is not an artifact: ${error.message}`, { cause: error })
  }
}

/** `ghcr.io/org/app:v1`, or with `@` before a digest. */
export const shownAddress = ({ repository, reference }: ArtifactAddress): string =>
  `${nameOf(repository)}${isDigest(reference) ? '@' : ':'}${reference}`

/** Uses a repository as the user of the command. The registry's errors are shown in one line. */
export const withRepository = async <T>(
  repository: RepositoryName,
  options: RegistryOptions,
  env: NodeJS.ProcessEnv,
  work: (visit: OciSession) => Promise<T>,
): Promise<T> => {
  const { provider, insecureRegistry: insecure, timeout } = options
  const signal = AbortSignal.timeout(timeout)
  const credentials = provider === 'generic' ? await credentialsFor(repository, options, env) : undefined
  try {
    return await withRegistry({ repository, provider, insecure, signal, ...(credentials && { credentials }) }, work)
  } catch (error) {
    if (signal.aborted)
      throw new CommandFailed(`${nameOf(repository)}: this takes too long (see --timeout)`, { cause: error })
    if (!(error instanceof OciError)) throw error
    throw new CommandFailed(error.message, { cause: error })
  }
}

const credentialsFor = async (
  repository: RepositoryName,
  { creds }: RegistryOptions,
  env: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> => {
  if (creds === undefined) return dockerLogin(repository, env)
  const colon = creds.indexOf(':')
  return colon < 0 ? { registryToken: creds } : { username: creds.slice(0, colon), password: creds.slice(colon + 1) }
}
