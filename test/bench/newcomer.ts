import { parseArgs } from 'node:util'
import { startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { follow } from '../docs/follow.ts'
import { type Block, blocksOf } from '../docs/page.ts'
import { openReader } from '../docs/reader.ts'
import { startDeployedHub } from './deployed-hub.ts'
import { table } from './table.ts'

export const description = 'what somebody waits for who follows README in a fresh clone, up to a hub on AWS (emulated)'

const usage = `npm run bench -- newcomer

Follows README as it stands, in a copy of this checkout in which nothing is installed and with an empty npm cache: the
sample, an own repository on an own cluster (a test cluster, and a local repository in place of the one on GitHub), and a
deployment to the AWS emulator until the hub has reconciled its root source. Reading and typing are not counted.`

/** Beginnings of blocks that a newcomer leaves for later, or that are done in another way here. */
const later = ['npx cdk deploy', 'npm test']

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', default: false } } })
  if (values.help) return console.log(usage)
  const rows = [...(await onThisMachine()), ...(await onAws())]
  console.log(table(['what', 's', 'since the clone'], withSums(rows)))
}

interface Row {
  readonly what: string
  readonly seconds: number
}

const onThisMachine = async (): Promise<readonly Row[]> => {
  const rows: Row[] = []
  await using target = await startCluster({ name: 'target' })
  await using podinfo = await startGitRepo({
    'kustomize/kustomization.yaml': 'resources: [service.yaml]\n',
    'kustomize/service.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: podinfo}\n',
  })
  await podinfo.git('branch', 'master', 'main')
  await using reader = await openReader({ installed: false, files: { '.kube/config': target.kubeconfig } })
  await follow(blocksOf('README.md'), reader.shell, {
    addresses: { 'https://github.com/stefanprodan/podinfo': podinfo.url },
    isElsewhere: ({ text }) => later.find(beginning => text.startsWith(beginning)),
    done: (block, ms) => {
      rows.push({ what: describe(block), seconds: ms / 1000 })
      console.error(`${describe(block)}: done`)
    },
  })
  return rows
}

const describe = ({ at, text }: Block): string => `${at} ${text.trim().split('\n').at(-1)!.slice(0, 60)}`

const onAws = async (): Promise<readonly Row[]> => {
  await using fleet = await startGitRepo({ 'hub/map.yaml': configMap })
  const begun = performance.now()
  await using hub = await startDeployedHub('keelson', { rootSource: `${fleet.url}//hub?ref=main` })
  const deployed = performance.now()
  await eventually(async () => void (await hub.get('configmap', 'rooted', '--namespace', 'default')), {
    within: 120_000,
    every: 500,
  })
  const reconciled = performance.now()
  return [
    { what: 'emulator; npx cdk bootstrap; npx cdk deploy', seconds: (deployed - begun) / 1000 },
    { what: 'the hub has reconciled its root source', seconds: (reconciled - deployed) / 1000 },
  ]
}

const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rooted, namespace: default}\n'

const withSums = (rows: readonly Row[]): (string | number)[][] => {
  let sum = 0
  return rows.map(({ what, seconds }) => {
    sum += seconds
    return [what, Math.round(seconds * 10) / 10, Math.round(sum)]
  })
}
