import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-ports.ts'
import { patienceOf } from '../patience.ts'
import { endWithTest, ifProcessEnds } from '../teardown.ts'
import { disposableDir } from '../temp-dir.ts'
import { serveLambdaApi } from './lambda-api.ts'
import { ministack } from './ministack.ts'

/** An AWS account in one region, emulated by a process of its own; Lambda functions run in it as real Node processes. */
export interface AwsEmulator extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, `https://...` with `auth`. */
  readonly endpoint: string
  readonly region: string
  readonly account: string
  /** What SDKs and the `cdk` CLI need to find it, as the account's root, who may do everything. */
  readonly env: Readonly<Record<string, string>>
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Path of the certificate to trust, with `auth`. */
  readonly certificateFile?: string
  /** What it has said so far, Lambda logs among it: for messages of failing tests. */
  log(): string
}

export interface AwsEmulatorOptions {
  /** Enforce signatures and IAM policies, over TLS. Without it every caller is the account's root. */
  readonly auth?: boolean
  /** The 12 digits of the account; a random one unless given. */
  readonly account?: string
  /** Added to the emulator's environment, which its Lambda functions inherit. */
  readonly env?: Readonly<Record<string, string>>
}

const region = 'us-east-1'
const startMs = 30_000

/** A running emulator which goes when the test ends. Takes half a second and 40 MB; installs the emulator when missing. */
export const awsEmulator = async (options?: AwsEmulatorOptions): Promise<AwsEmulator> =>
  endWithTest(await startAwsEmulator(options))

/** A running emulator which the caller disposes of. Fails with NoEmulator where it can't be installed. */
export async function startAwsEmulator(options: AwsEmulatorOptions = {}): Promise<AwsEmulator> {
  const python = await ministack()
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(python, options)
    } catch (error) {
      if (attempt === 3 || !(error instanceof NotStarted)) throw error // another process may have taken the port
    }
  }
}

class NotStarted extends Error {}

async function start(python: string, options: AwsEmulatorOptions): Promise<AwsEmulator> {
  const { auth = false, account = randomAccount() } = options
  const port = await freePort()
  const endpoint = `${auth ? 'https' : 'http'}://127.0.0.1:${port}`
  const dir = disposableDir()
  const lambda = await serveLambdaApi()
  const child = spawn(python, [join(import.meta.dirname, 'launch.py')], {
    cwd: dir.path,
    detached: true, // a process group of its own, to which its Lambda workers belong
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: [join(import.meta.dirname, 'bin'), process.env.PATH].join(delimiter),
      HOME: dir.path,
      TMPDIR: dir.path,
      KEELSON_NODE: process.execPath,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_REGION: region,
      MINISTACK_ACCOUNT_ID: account,
      LAMBDA_EXECUTOR: 'local',
      AWS_ENDPOINT_URL_LAMBDA: lambda.url, // for its functions
      ...(auth && { AUTH: 'true', USE_SSL: '1' }),
      ...options.env,
    },
  })
  const exited = once(child, 'exit')
  const log = logOf(child)
  const end = () => endGroup(child)
  const keep = ifProcessEnds(end)
  const dispose = async () => {
    end()
    await exited
    keep()
    await Promise.all([lambda[Symbol.asyncDispose](), dir[Symbol.asyncDispose]()])
  }
  try {
    await answering(port, child, log)
  } catch (error) {
    await dispose()
    throw error
  }
  const certificateFile = join(dir.path, 'ministack-tls', 'server.crt')
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const emulator: AwsEmulator = {
    endpoint,
    region,
    account,
    credentials,
    env: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_REGION: region,
      ...(auth && { NODE_EXTRA_CA_CERTS: certificateFile, AWS_CA_BUNDLE: certificateFile }),
    },
    ...(auth && { certificateFile }),
    log,
    [Symbol.asyncDispose]: dispose,
  }
  lambda.open(emulator)
  return emulator
}

const randomAccount = (): string => String(Math.floor(1e11 + Math.random() * 9e11))

function logOf(child: ChildProcess): () => string {
  let text = ''
  const add = (chunk: Buffer) => {
    text = (text + chunk).slice(-200_000)
  }
  child.stdout!.on('data', add)
  child.stderr!.on('data', add)
  child.stdin!.on('error', () => {}) // it may be gone before us
  return () => text
}

/** Only the group that we made: its leader is our child, whose id can't be another's until we have seen it exit. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // it has not become a leader yet
  }
}

/** Waits until it takes connections. TLS needs no word here: who connects may still refuse the certificate. */
async function answering(port: number, child: ChildProcess, log: () => string): Promise<void> {
  const patience = patienceOf(startMs)
  for (;;) {
    if (child.exitCode !== null) throw new NotStarted(`the AWS emulator ended: ${log().trim().slice(-2000)}`)
    if (log().includes('Running on http')) return
    if (patience.isOver())
      throw new Error(`the AWS emulator does not answer on port ${port} after ${startMs} ms: ${log().slice(-2000)}`)
    await sleep(20)
  }
}

/** The PEM of the certificate, to be passed to clients in this process; undefined without `auth`. */
export const certificateOf = ({ certificateFile }: AwsEmulator): string | undefined =>
  certificateFile && existsSync(certificateFile) ? readFileSync(certificateFile, 'utf8') : undefined
