import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { AwsEmulator } from '../bed/aws/emulator.ts'
import { command, type Ending } from '../bed/command.ts'
import { program } from '../bed/keelson-program.ts'
import { type KubectlAccess, kubectlAccess, kubectlEnding, kubectlLines } from '../bed/kubectl.ts'
import { tempDir } from '../bed/temp-dir.ts'
import type { Credentials } from './account.ts'

/** Somebody with AWS credentials and kubectl, who reaches the hub as users do. */
export interface Person extends KubectlAccess {
  readonly env: NodeJS.ProcessEnv
  ending(...args: string[]): Promise<Ending>
  /** What a kubectl that does not end by itself has printed so far. */
  lines(...args: string[]): Promise<readonly string[]>
  /** `keelson ...`, with the person's credentials. */
  keelson(...args: string[]): Promise<string>
}

export interface HubAddress {
  readonly hubName: string
  readonly url: string
  /** PEM of the authority behind the URL. */
  readonly ca: string
}

/** Writes the person's kubeconfig with `keelson kubeconfig`. */
export async function person(emulator: AwsEmulator, credentials: Credentials, hub: HubAddress): Promise<Person> {
  const dir = tempDir({ 'ca.pem': hub.ca })
  const kubeconfig = join(dir, 'kubeconfig')
  const env = {
    ...emulator.env,
    PATH: process.env.PATH,
    HOME: dir,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...(credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
  }
  const keelson = (...args: string[]) => command(process.execPath, [program, ...args], { env })
  const target = ['--hub', hub.hubName, '--region', emulator.region, '--url', hub.url]
  await keelson('kubeconfig', ...target, '--certificate-authority', join(dir, 'ca.pem'), '--kubeconfig', kubeconfig)

  return {
    ...kubectlAccess(kubeconfig, { env }),
    env,
    ending: (...args) => kubectlEnding(kubeconfig, args, { env }),
    lines: (...args) => kubectlLines(kubeconfig, args, { env }),
    keelson,
  }
}

export interface HubAnswer {
  readonly status: number
  /** `message` of the Status that a hub refuses with. */
  readonly message?: string
}

/** One request to a hub's API, with a bearer token or without. */
export async function askHub({ url, ca }: HubAddress, path: string, token?: string): Promise<HubAnswer> {
  const dispatcher = new Agent({ connect: { ca } })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { statusCode, body } = await request(`${url}${path}`, { headers, dispatcher })
  const { message } = (await body.json()) as { message?: string }
  await dispatcher.close()
  return { status: statusCode, message }
}
