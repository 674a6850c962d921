import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { isChromiumToBeHad } from './chromium.ts'
import { installedGo, isOfSeries } from './go-command.ts'

const run = promisify(execFile)

/** A program of the machine that suites use. */
interface Tool {
  readonly name: string
  /** Whose tests use it; absent = all suites but those that only compute. */
  readonly suites: readonly string[]
  isThere(): Promise<boolean>
  /** The packages of Debian and Ubuntu that bring it. */
  readonly packages: string
}

const answers = async (program: string, ...args: readonly string[]): Promise<string | undefined> => {
  try {
    return (await run(program, args)).stdout.trim()
  } catch {
    return undefined
  }
}
/** How a program ended that has no way to say its version; `ENOENT` where there is none. */
const endOf = (program: string, ...args: readonly string[]): Promise<unknown> =>
  run(program, args).then(
    () => 0,
    (error: { readonly code?: unknown }) => error.code,
  )
const runs = async (program: string, ...args: readonly string[]) => (await answers(program, ...args)) !== undefined

const clusters = [
  'cluster',
  'hub',
  'e2e',
  'deploy',
  'docs',
  'browser',
  'examples',
  'fault',
  'differential',
  'fuzz',
  'source',
  'unit',
]
const withGit = [
  'unit',
  'source',
  'cluster',
  'hub',
  'e2e',
  'browser',
  'deploy',
  'docs',
  'conformance',
  'attack',
  'fault',
]

/** Python with what makes virtual environments, by which the AWS emulator and, where it is missing, Go come. */
const hasPython = () => runs('python3', '-c', 'import venv, ensurepip')

const emulated = ['aws', 'deploy', 'source', 'contracts']

/** The default certificate files of Go and OpenSSL. macOS uses its keychain. */
const trusted = {
  files: [
    '/etc/ssl/certs/ca-certificates.crt', // Debian
    '/etc/pki/tls/certs/ca-bundle.crt', // Fedora
    '/etc/ssl/ca-bundle.pem', // openSUSE
    '/etc/ssl/cert.pem', // Alpine
  ],
  directories: ['/etc/ssl/certs', '/etc/pki/tls/certs'],
}
const isEmpty = (directory: string): boolean => !existsSync(directory) || readdirSync(directory).length === 0

const hasAuthorities = ({ SSL_CERT_FILE, SSL_CERT_DIR }: NodeJS.ProcessEnv): boolean => {
  const files = SSL_CERT_FILE ? [SSL_CERT_FILE] : trusted.files
  const directories = SSL_CERT_DIR ? SSL_CERT_DIR.split(delimiter) : trusted.directories
  return files.some(existsSync) || directories.some(directory => !isEmpty(directory))
}

const tools: readonly Tool[] = [
  { name: 'git', suites: withGit, isThere: () => runs('git', '--version'), packages: 'git' },
  {
    name: "git's http-backend",
    suites: withGit,
    isThere: async () => {
      const folder = await answers('git', '--exec-path')
      return folder !== undefined && existsSync(join(folder, 'git-http-backend'))
    },
    packages: 'git',
  },
  {
    name: 'openssl',
    suites: ['unit', 'source', 'differential', 'fuzz'],
    isThere: () => runs('openssl', 'version'),
    packages: 'openssl',
  },
  {
    name: 'ssh-keygen',
    suites: ['unit', 'source'],
    isThere: async () => (await endOf('ssh-keygen', '-?')) !== 'ENOENT',
    packages: 'openssh-client',
  },
  {
    name: 'Chromium or Chrome (KEELSON_CHROMIUM names one elsewhere)',
    suites: ['browser'],
    isThere: async () => isChromiumToBeHad(),
    packages: 'chromium',
  },
  { name: 'curl', suites: ['docs'], isThere: () => runs('curl', '--version'), packages: 'curl' },
  { name: 'bash', suites: ['docs', 'unit'], isThere: () => runs('bash', '--version'), packages: 'bash' },
  {
    name: 'Python 3 with venv and pip (for the AWS emulator)',
    suites: emulated,
    isThere: hasPython,
    packages: 'python3 python3-venv',
  },
  {
    name: 'Go 1.26, or Python 3 with venv and pip, by which it is fetched',
    suites: clusters,
    isThere: async () => {
      const installed = await installedGo()
      return (installed !== undefined && isOfSeries(installed)) || hasPython()
    },
    packages: 'python3 python3-venv',
  },
  {
    name: 'certificates of public authorities (to fetch Go modules and Python packages)',
    suites: [...new Set([...clusters, ...emulated])],
    isThere: async () => process.platform === 'darwin' || hasAuthorities(process.env),
    packages: 'ca-certificates',
  },
  { name: 'tar', suites: ['source', 'release', 'fuzz'], isThere: () => runs('tar', '--version'), packages: 'tar' },
  { name: 'gzip', suites: ['unit', 'fuzz'], isThere: () => runs('gzip', '--version'), packages: 'gzip' },
]

/** The suite of a file; the name of a suite is that suite. */
export const suiteOf = (name: string): string => /(?:^|\/)test\/([^/]+)\//.exec(name)?.[1] ?? name

/**
 * Everything that this machine lacks for these suites, in one text, with the command that installs it; undefined when it
 * has all. A file means its suite.
 */
export const missingTools = async (wanted: readonly string[]): Promise<string | undefined> => {
  const suites = new Set(wanted.map(suiteOf))
  const asked = tools.filter(tool => tool.suites.some(suite => suites.has(suite)))
  const there = await Promise.all(asked.map(tool => tool.isThere()))
  const missing = asked.filter((_, i) => !there[i])
  if (missing.length === 0) return undefined
  const packages = [...new Set(missing.flatMap(({ packages }) => packages.split(' ')))].join(' ')
  const lines = missing.map(
    ({ name, suites: of }) => `  ${name}: for ${of.filter(suite => suites.has(suite)).join(', ')}`,
  )
  return `This machine lacks what the tests use:\n${lines.join('\n')}\nOn Debian or Ubuntu: apt-get install --yes ${packages}\n`
}
