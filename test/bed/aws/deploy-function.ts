import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../command.ts'
import { eventually } from '../eventually.ts'
import { disposableDir } from '../temp-dir.ts'
import { awsRequests } from './aws-request.ts'
import type { AwsEmulator } from './emulator.ts'
import { ministack } from './ministack.ts'

export interface FunctionSettings {
  readonly name: string
  /** A folder with `index.mjs`, which exports `handler`, and the files that it imports. */
  readonly folder: string
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutSeconds?: number
  /** Gives it a function URL. */
  readonly url?: 'BUFFERED' | 'RESPONSE_STREAM'
}

/** Has the next request to a function start a new process, as a change of its configuration does. */
export async function restartFunction(emulator: AwsEmulator, name: string): Promise<void> {
  const path = `/2015-03-31/functions/${name}/configuration`
  const aws = awsRequests(emulator)
  const { text } = await aws({ service: 'lambda', method: 'GET', path })
  const { Environment } = JSON.parse(text) as { readonly Environment: { readonly Variables: Record<string, string> } }
  const Variables = { ...Environment.Variables, STARTED_AGAIN: new Date().toISOString() }
  const body = JSON.stringify({ Environment: { Variables } })
  const changed = await aws({ service: 'lambda', method: 'PUT', path, body })
  if (changed.status >= 300) throw new Error(`PUT ${path} answered ${changed.status}: ${changed.text}`)
}

/** Invokes a function, and returns its answer. Fails if it does. */
export async function invokeFunction(emulator: AwsEmulator, name: string, event: object): Promise<string> {
  const path = `/2015-03-31/functions/${name}/invocations`
  const aws = awsRequests(emulator)
  const { status, text, headers } = await aws({ service: 'lambda', method: 'POST', path, body: JSON.stringify(event) })
  if (status >= 300 || headers['x-amz-function-error'] !== undefined) throw new Error(`${name} failed: ${text}`)
  return text
}

/** Makes bundled code a Lambda function of the emulator, without a stack: for suites that need one or two. */
export async function deployFunction(emulator: AwsEmulator, settings: FunctionSettings): Promise<void> {
  const { name, environment = {}, timeoutSeconds = 60, url } = settings
  const aws = awsRequests(emulator)
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await aws({
      service: 'lambda',
      method,
      path,
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
    return JSON.parse(text)
  }
  await call('POST', '/2015-03-31/functions', {
    FunctionName: name,
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: `arn:aws:iam::${emulator.account}:role/${name}`,
    Code: { ZipFile: (await zipOf(settings.folder)).toString('base64') },
    Environment: { Variables: environment },
    Timeout: timeoutSeconds,
    MemorySize: 512,
  })
  await eventually(async () => (await call('GET', `/2015-03-31/functions/${name}/configuration`)).State === 'Active')
  if (url) await call('POST', `/2021-10-31/functions/${name}/url`, { AuthType: 'NONE', InvokeMode: url })
}

async function zipOf(folder: string): Promise<Buffer> {
  await using dir = disposableDir()
  const zip = join(dir.path, 'function.zip')
  const files = readdirSync(folder).map(file => join(folder, file))
  await command(await ministack(), ['-m', 'zipfile', '-c', zip, ...files])
  return readFileSync(zip)
}
