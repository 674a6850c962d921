import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { command } from '../command.ts'
import { eventually } from '../eventually.ts'
import { disposableDir } from '../temp-dir.ts'
import { awsRequests } from './aws-request.ts'
import type { AwsEmulator } from './emulator.ts'
import { ministack } from './ministack.ts'

export interface FunctionSettings {
  readonly name: string
  /** The file that exports `handler`; it is bundled with all that it imports. */
  readonly entry: string
  readonly environment?: Readonly<Record<string, string>>
  readonly timeoutSeconds?: number
  /** Gives it a function URL. */
  readonly url?: 'BUFFERED' | 'RESPONSE_STREAM'
}

/** Bundles a handler and makes it a Lambda function of the emulator, without a stack: for suites that need one or two. */
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
    Code: { ZipFile: (await zipOf(settings.entry)).toString('base64') },
    Environment: { Variables: environment },
    Timeout: timeoutSeconds,
    MemorySize: 512,
  })
  await eventually(async () => (await call('GET', `/2015-03-31/functions/${name}/configuration`)).State === 'Active')
  if (url) await call('POST', `/2021-10-31/functions/${name}/url`, { AuthType: 'NONE', InvokeMode: url })
}

/** One ESM bundle in a zip, as `cdk deploy` ships it. */
async function zipOf(entry: string): Promise<Buffer> {
  await using dir = disposableDir()
  const content = join(dir.path, 'content')
  mkdirSync(content)
  const { outputFiles } = await build({
    ...{ entryPoints: [entry], bundle: true, write: false, platform: 'node', format: 'esm', target: 'node24' },
    ...{ mainFields: ['module', 'main'], external: ['node:*'], logLevel: 'error' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  writeFileSync(join(content, 'index.mjs'), outputFiles[0]!.contents)
  const zip = join(dir.path, 'function.zip')
  await command(await ministack(), ['-m', 'zipfile', '-c', zip, join(content, 'index.mjs')])
  return readFileSync(zip)
}
