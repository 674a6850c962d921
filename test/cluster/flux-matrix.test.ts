/** Every command of the flux CLI that talks to a cluster, against a hub: what works, and what says plainly that it can't. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { flux, needsFlux } from '../bed/flux.ts'
import { type FluxWorld, startFluxWorld } from './flux-world.ts'

const short = '--timeout=3s'

/** In this order, on one hub: the command, how it ends, and what it says. */
const commands: readonly (readonly [args: string, exitCode: number, says: RegExp])[] = [
  [
    'check',
    0,
    /✔ Kubernetes 1\.36[\s\S]*✔ source-controller: deployment ready[\s\S]*kustomizations\.kustomize\.toolkit\.fluxcd\.io\/v1/,
  ],
  ['version', 0, /distribution: flux-v2\.\d+\.\d+\n[\s\S]*kustomize-controller: v\d+\.\d+\.\d+/],
  ['get all -A', 0, /gitrepository\/site[\s\S]*kustomization\/site/],
  ['get sources all', 0, /gitrepository\/site/],
  ['get sources git site', 0, /stored artifact for revision/],
  ['get sources oci', 1, /no OCIRepository objects found/],
  ['get sources helm', 1, /no HelmRepository objects found/],
  ['get sources chart', 1, /no HelmChart objects found/],
  ['get sources bucket', 1, /no Bucket objects found/],
  ['get kustomizations', 0, /Applied revision: main@sha1:/],
  ['get helmreleases', 1, /no HelmRelease objects found/],
  ['export source git site', 0, /kind: GitRepository[\s\S]*interval: 1h/],
  ['export kustomization --all', 0, /kind: Kustomization[\s\S]*prune: true/],
  [
    'create source git made --url=https://127.0.0.1:1/x.git --branch=main --interval=1m --export',
    0,
    /kind: GitRepository/,
  ],
  [
    `create source git made --url=https://127.0.0.1:1/x.git --branch=main --interval=1m ${short}`,
    1,
    /✔ GitRepository source created/,
  ],
  [`create source oci made --url=oci://127.0.0.1:1/x --tag=1 --interval=1m ${short}`, 1, /✔ OCIRepository created/],
  [
    `create source bucket made --bucket-name=x --endpoint=127.0.0.1:1 --insecure --interval=1m ${short}`,
    1,
    /✔ Bucket source created/,
  ],
  [
    `create source helm made --url=https://127.0.0.1:1/charts --interval=1m ${short}`,
    1,
    /✔ HelmRepository source created|source created/,
  ],
  ['get sources all', 0, /bucket\/made[\s\S]*ocirepository\/made|ocirepository\/made[\s\S]*bucket\/made/],
  [
    'create secret git login --url=https://example.com/x.git --username=a --password=b',
    0,
    /git secret 'login' created/,
  ],
  ['create secret oci login-oci --url=ghcr.io --username=a --password=b', 0, /oci secret 'login-oci' created/],
  ['create secret helm login-helm --username=a --password=b', 0, /helm secret 'login-helm' created/],
  [
    'create alert-provider chat --type=slack --channel=x --address=https://hooks.example.com/x',
    0,
    /✔ Provider chat is ready/,
  ],
  [
    'create alert noise --event-severity=info --event-source=Kustomization/* --provider-ref=chat',
    0,
    /✔ Alert noise is ready|Alert created/,
  ],
  ['get alerts', 0, /noise/],
  ['get alert-providers', 0, /chat/],
  ['suspend alert noise', 0, /✔ alert suspended/],
  ['resume alert noise', 0, /✔ alert resumed/],
  ['export alert noise', 0, /kind: Alert/],
  ['export alert-provider chat', 0, /kind: Provider/],
  ['create secret receiver token --token=0123456789 --type=generic --hostname=example.com', 0, /created/],
  [
    `create receiver push --type=generic --secret-ref=token --resource=GitRepository/site`,
    0,
    /Receiver created[\s\S]*hook\//,
  ],
  ['get receivers', 0, /push/],
  ['reconcile receiver push', 0, /Receiver annotated/],
  ['create tenant dev --with-namespace=dev', 0, /✔ tenant setup completed/],
  ['suspend source git site', 0, /✔ source git suspended/],
  ['resume source git site', 0, /✔ fetched revision/],
  ['reconcile source git site', 0, /✔ fetched revision/],
  ['suspend kustomization site', 0, /✔ kustomization suspended/],
  ['resume kustomization site', 0, /✔ applied revision/],
  ['reconcile kustomization site --with-source', 0, /✔ applied revision/],
  [
    'create kustomization second --source=GitRepository/site --path=./two --prune=true --interval=10m',
    0,
    /✔ Applied revision|Kustomization second is ready/,
  ],
  ['tree kustomization site', 0, /└── ConfigMap\/flux-system\/settings/],
  ['tree kustomization site -o json', 0, /"Name": "site"/],
  ['trace configmap settings -n flux-system', 0, /Status: +Managed by Flux/],
  ['events', 0, /ReconciliationSucceeded +\tKustomization\/site|ReconciliationSucceeded/],
  ['events --for Kustomization/site', 0, /Kustomization\/site/],
  ['stats -A', 0, /Kustomization +\t2/],
  ['debug kustomization site --show-history', 0, /firstReconciled:/],
  ['debug kustomization site --show-vars', 1, /no post build substitutions found/],
  ['logs', 1, /could not find the requested resource/],
  ['delete kustomization second --silent', 0, /✔ kustomization deleted/],
  [
    `create helmrelease app --source=GitRepository/site --chart=./app --interval=1m ${short}`,
    1,
    /✔ HelmRelease created/,
  ],
  ['get helmreleases', 0, /app[^\n]*HelmChart 'flux-system\/flux-system-app' is not ready/],
  ['suspend helmrelease app', 0, /✔ helmrelease suspended/],
  ['export helmrelease app', 0, /kind: HelmRelease[\s\S]*suspend: true/],
  ['debug helmrelease app --show-status', 0, /helmChart: flux-system\/flux-system-app/],
  ['debug helmrelease app --show-values', 0, /\{\}/],
  ['events --for HelmRelease/app', 0, /HelmChartCreated/],
  ['delete helmrelease app --silent', 0, /✔ helmrelease deleted/],
  ['delete alert noise --silent', 0, /✔ alert deleted/],
  ['delete alert-provider chat --silent', 0, /✔ alert provider deleted/],
  ['delete receiver push --silent', 0, /✔ receiver deleted/],
  ['delete source git made --silent', 0, /✔ source git deleted/],
  ['delete source oci made --silent', 0, /✔ source oci deleted/],
  ['delete source bucket made --silent', 0, /✔ source bucket deleted/],
  ['delete source helm made --silent', 0, /✔ source helm deleted/],
]

suite('each command of the unmodified flux CLI', needsFlux, () => {
  let world: FluxWorld
  before(async () => {
    world = await startFluxWorld()
  })
  after(() => world[Symbol.asyncDispose]())

  for (const [args, exitCode, says] of commands)
    test(`flux ${args}${exitCode ? ' fails, and says why' : ''}`, async () => {
      const ended = await flux(world.hub.kubeconfig, args.split(' '))
      const said = `${ended.stdout}\n${ended.stderr}`
      assert.match(said, says)
      assert.equal(ended.exitCode, exitCode, said)
    })
})
