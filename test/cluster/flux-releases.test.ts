/** The commands of the flux CLI that are about HelmReleases, against a hub where one is installed. */
import { describeFluxCommands, type FluxCommand } from './flux-commands.ts'
import { startFluxReleaseWorld } from './flux-release-world.ts'

const commands: readonly FluxCommand[] = [
  [
    'get helmreleases',
    0,
    /web\s+1\.2\.3\+\w+\s+False\s+True\s+Helm install succeeded for release flux-system\/web\.v1/,
  ],
  ['get all -A', 0, /helmrelease\/web[\s\S]*kustomization\/site/],
  ['get sources chart', 0, /flux-system-web/],
  ['tree kustomization site', 0, /└── HelmRelease\/flux-system\/web\n[\s\S]*ConfigMap\/flux-system\/web/],
  ['trace configmap web -n flux-system', 0, /HelmRelease:\s+web[\s\S]*Status:\s+Last reconciled/],
  ['events --for HelmRelease/web', 0, /InstallSucceeded/],
  ['export helmrelease web', 0, /kind: HelmRelease[\s\S]*greeting: hi/],
  ['debug helmrelease web --show-values', 0, /greeting: hi/],
  ['debug helmrelease web --show-status', 0, /chartVersion: 1\.2\.3/],
  ['debug helmrelease web --show-history', 0, /status: deployed/],
  ['reconcile helmrelease web', 0, /✔ HelmRelease annotated[\s\S]*✔ applied revision 1\.2\.3/],
  ['reconcile helmrelease web --with-source', 0, /HelmChart[\s\S]*✔ applied revision 1\.2\.3/],
  ['reconcile helmrelease web --force', 0, /✔ applied revision 1\.2\.3/],
  ['get helmreleases web', 0, /Helm upgrade succeeded for release flux-system\/web\.v2/],
  ['reconcile helmrelease web --reset', 0, /✔ applied revision 1\.2\.3/],
  ['suspend helmrelease web', 0, /✔ helmrelease suspended/],
  ['get helmreleases', 0, /web\s+1\.2\.3\+\w+\s+True\s+True/],
  ['resume helmrelease web', 0, /✔ applied revision 1\.2\.3/],
  [
    'create helmrelease made --source=GitRepository/site --chart=./app --interval=1h --timeout=30s',
    0,
    /✔ HelmRelease made is ready[\s\S]*✔ applied revision 1\.2\.3/,
  ],
  ['get helmreleases', 0, /made[\s\S]*web/],
  ['stats -A', 0, /HelmRelease\s+\t2/],
  ['delete helmrelease made --silent', 0, /✔ helmrelease deleted/],
]

describeFluxCommands('each command of the unmodified flux CLI about HelmReleases', startFluxReleaseWorld, commands)
