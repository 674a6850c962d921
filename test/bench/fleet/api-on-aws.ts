import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storeFleetRequest } from '../../../events/store-fleet.ts'
import { bundleFunctions } from '../../../infra/bundle.ts'
import { composeCore } from '../../../lib/compose/core.ts'
import { defaultSettings } from '../../../lib/compose/settings/settings.ts'
import { kubeconfig } from '../../../lib/hub/apiserver/identity/kubeconfig.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { awsPlatform } from '../../../lib/platform/adapters/aws/aws-platform.ts'
import { eksToken } from '../../../lib/platform/cloud/aws/eks-token.ts'
import { hubOnAws } from '../../aws/hub-environment.ts'
import { deployFunction, invokeFunction, restartFunction } from '../../bed/aws/deploy-function.ts'
import { startAwsEmulator } from '../../bed/aws/emulator.ts'
import { serveFunctionUrl } from '../../bed/aws/function-url.ts'
import { logGroups } from '../../bed/aws/log-groups.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { certificateAuthority } from '../../bed/certificates.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { wires } from '../../bed/wires.ts'
import { copyItems } from '../copy-items.ts'
import { indexCost } from './index-cost.ts'

/** A hub to fill, and to ask afterwards. */
export interface FilledHub extends AsyncDisposable {
  readonly hub: Hub
  /** Path of a kubeconfig of an administrator, which is valid for a quarter of an hour at least. */
  kubeconfig(): Promise<string>
  /** What its functions have logged. */
  said?(): Promise<string>
  /** Has the hub store what reports need, as its schedule does. */
  storeFleet?(): Promise<void>
  /** The next report is the first one of its process. */
  restart?(): Promise<void>
  /** What the stored index costs. */
  cost?(): Promise<string>
}

/** The functions of a hub's API in the AWS emulator, as they are deployed, over a table of its own. Nothing reconciles what is in it. */
export const startApiOnAws = async (): Promise<FilledHub> => {
  await using parts = new AsyncDisposableStack()
  const emulator = parts.use(await startAwsEmulator())
  const { clients, resources, environment } = await hubOnAws(emulator)
  parts.defer(() => clients.close())
  const { hubName } = resources
  const { path } = parts.use(disposableDir())
  await bundleFunctions(['api', 'apiserver'], path)
  const admins = { KEELSON_ADMINS: JSON.stringify([`arn:aws:iam::${emulator.account}:root`]) }
  for (const name of ['api', 'apiserver'])
    await deployFunction(emulator, {
      ...{ name: `${hubName}-${name}`, folder: join(path, name), environment: { ...environment, ...admins } },
      timeoutSeconds,
      ...(name === 'api' && { url: 'RESPONSE_STREAM' }),
    })
  const authority = certificateAuthority()
  const certificate = authority.issue('hub')
  const { url } = parts.use(await serveFunctionUrl(emulator, `${hubName}-api`, { certificate }))
  // Filled in memory, then copied: the emulator takes a quarter of an hour for as many transactions.
  const filled = simulatedDynamo()
  const platform = awsPlatform(resources, { clients: { ...clients, dynamo: filled.client } })
  const log = { info: () => {}, error: (...said: unknown[]) => console.error(...said) }
  const core = composeCore(
    { ...platform, queue: { send: async () => {} }, log, connections: wires() },
    { ...defaultSettings, artifactAddress: 's3://none' },
  )
  parts.defer(() => core.close())
  await core.hub.prepare()
  const all = parts.move()
  return {
    hub: core.hub,
    kubeconfig: async () => {
      await core.hub.settled()
      const items = filled.items()
      const begun = performance.now()
      await copyItems(items, clients.dynamo, resources.table)
      console.log(`copied ${items.length} items in ${Math.round((performance.now() - begun) / 1000)} s`)
      const { region, endpoint, credentials } = emulator
      const { token } = await eksToken(credentials, { clusterName: hubName, region, endpoint, now: Date.now() })
      const file = join(path, 'kubeconfig')
      writeFileSync(file, kubeconfig({ server: url, authority: authority.ca, token }), { mode: 0o600 })
      return file
    },
    said: async () => {
      const logs = logGroups(emulator)
      const lines = ['api', 'apiserver'].map(name => logs.messages(`/aws/lambda/${hubName}-${name}`))
      return (await Promise.all(lines)).flat().join('\n')
    },
    storeFleet: async () => {
      const answer = await invokeFunction(emulator, `${hubName}-apiserver`, storeFleetRequest)
      assert.match(answer, /Kustomization/)
    },
    restart: () => restartFunction(emulator, `${hubName}-apiserver`),
    cost: () => indexCost(core.hub, platform),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** As they are deployed: the first report of a process reads the whole fleet. */
const timeoutSeconds = 15 * 60
