import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  findCredentials,
  InvalidDockerConfig,
  type RegistryCredentials,
  readKeyring,
} from '../sources/oci/docker-config.ts'
import type { RepositoryName } from '../sources/oci/image-name.ts'
import { CommandFailed } from './command-failed.ts'

interface DockerConfig {
  readonly credHelpers?: Readonly<Record<string, string>>
  readonly credsStore?: string
}

/** The credentials of `docker login` for a repository: from its configuration, or from its credential helper. */
export const dockerLogin = async (
  repository: RepositoryName,
  env: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> => {
  const file = join(env.DOCKER_CONFIG ?? join(homedir(), '.docker'), 'config.json')
  const text = await readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return undefined
    throw new CommandFailed(`${file} can't be read: ${error.message}`, { cause: error })
  })
  if (text === undefined) return undefined
  try {
    const { auths, ...config } = JSON.parse(text) as DockerConfig & { readonly auths?: object }
    const host = repository.registry === 'index.docker.io' ? 'https://index.docker.io/v1/' : repository.registry
    const helper = config.credHelpers?.[repository.registry] ?? config.credsStore
    // With a helper, docker's own entries are empty.
    return helper
      ? await runHelper(helper, host, env)
      : findCredentials(readKeyring([{ text: JSON.stringify({ auths }) }]), repository)
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof InvalidDockerConfig)) throw error
    throw new CommandFailed(`${file} is not a docker configuration`, { cause: error })
  }
}

/** https://github.com/docker/docker-credential-helpers: the host on stdin, JSON on stdout. */
const runHelper = async (
  helper: string,
  host: string,
  env: NodeJS.ProcessEnv,
): Promise<RegistryCredentials | undefined> => {
  if (!/^[\w.-]+$/.test(helper)) throw new CommandFailed(`credential helper '${helper}' has an invalid name`)
  const program = `docker-credential-${helper}`
  const { code, output } = await run(program, host, env)
  if (code !== 0) {
    if (/credentials not found/i.test(output)) return undefined
    throw new CommandFailed(`${program} failed: exit code ${code}`)
  }
  const { Username, Secret } = parseCredentials(output, program)
  if (!Secret) return undefined
  return Username === '<token>' ? { identityToken: Secret } : { username: Username ?? '', password: Secret }
}

const run = (program: string, input: string, env: NodeJS.ProcessEnv) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const child = spawn(program, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.on('data', chunk => (output += chunk))
    child.on('error', cause => reject(new CommandFailed(`${program} can't be run: ${cause.message}`, { cause })))
    child.on('close', code => resolve({ code, output }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })

const parseCredentials = (
  output: string,
  program: string,
): { readonly Username?: string; readonly Secret?: string } => {
  try {
    return JSON.parse(output)
  } catch {
    throw new CommandFailed(`${program} did not return JSON`)
  }
}
