import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfig } from '../../lib/hub/apiserver/identity/kubeconfig.ts'
import { eksToken } from '../../lib/platform/cloud/aws/eks-token.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { startDeployment } from '../bed/aws/deployment.ts'
import { type AwsEmulator, startAwsEmulator } from '../bed/aws/emulator.ts'
import { serveFunctionUrl } from '../bed/aws/function-url.ts'
import { certificateAuthority } from '../bed/certificates.ts'
import { kubectl } from '../bed/kubectl.ts'

/** The stack of infra/ in an emulated account of its own, and an administrator's way to its hub. */
export interface DeployedHub extends AsyncDisposable {
  readonly emulator: AwsEmulator
  /** Path of a kubeconfig with a token that lasts for a quarter of an hour. */
  kubeconfig(): Promise<string>
  /** Where forges post to. */
  readonly edge: string
  kubectl(...args: string[]): Promise<string>
  /** `kubectl create` of manifests given as text. */
  create(manifests: string): Promise<string>
  /** `kubectl get ... -o json`, parsed. */
  get<T = unknown>(...args: string[]): Promise<T>
}

/** Webhooks that the emulator works on at a time, a process each: the others wait, as it has two cores and not a region of them. */
const webhooksAtOnce = 4

export async function startDeployedHub(
  hubName: string,
  context: Readonly<Record<string, string>> = {},
): Promise<DeployedHub> {
  await using parts = new AsyncDisposableStack()
  const emulator = parts.use(await startAwsEmulator())
  parts.use(await startDeployment(emulator, { ...context, hubName, admins: `arn:aws:iam::${emulator.account}:root` }))
  const authority = certificateAuthority()
  const api = parts.use(await serveFunctionUrl(emulator, `${hubName}-api`, { certificate: authority.issue('hub') }))
  const edge = parts.use(await serveFunctionUrl(emulator, `${hubName}-webhook`, { atOnce: webhooksAtOnce }))
  const dir = mkdtempSync(join(tmpdir(), 'keelson-access-'))
  parts.defer(() => rmSync(dir, { recursive: true, force: true }))
  // The first tick makes what every hub has; the schedule would bring it within a minute.
  const path = `/2015-03-31/functions/${hubName}-tick/invocations`
  await awsRequests(emulator)({ service: 'lambda', method: 'POST', path, body: '{}' })

  const file = join(dir, 'kubeconfig')
  const access = async (): Promise<string> => {
    const { region, endpoint, credentials } = emulator
    const { token } = await eksToken(credentials, { clusterName: hubName, region, endpoint, now: Date.now() })
    writeFileSync(file, kubeconfig({ server: api.url, authority: authority.ca, token }), { mode: 0o600 })
    return file
  }
  const all = parts.move()
  const it: DeployedHub = {
    emulator,
    edge: edge.url,
    kubeconfig: access,
    kubectl: async (...args) => kubectl(await access(), args),
    create: async input => kubectl(await access(), ['create', '-f', '-'], { input }),
    get: async (...args) => JSON.parse(await it.kubectl('get', ...args, '-o', 'json')),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
  return it
}
