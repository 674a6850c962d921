/** Commands of the flux CLI about images and generated artifacts, against a hub that has both. */
import { describeFluxCommands, type FluxCommand } from './flux-commands.ts'
import { startFluxImageWorld } from './flux-image-world.ts'

const commands: readonly FluxCommand[] = [
  ['get images all', 0, /imagerepository\/web[\s\S]*imagepolicy\/web[\s\S]*imageupdateautomation\/site/],
  ['get image repository', 0, /web[^\n]*True[^\n]*successful scan: found 2 tags with checksum \d+/],
  ['get image policy', 0, /web[^\n]*1\.1\.0[^\n]*True[^\n]*resolved to 1\.1\.0/],
  ['get image update', 0, /site[^\n]*True[^\n]*repository up-to-date/],
  ['reconcile image repository web', 0, /✔ scan fetched 2 tags/],
  ['reconcile image policy web', 0, /✔ ImagePolicy/],
  ['reconcile image update site', 0, /✔ repository up-to-date/],
  ['suspend image repository web', 0, /✔ image repository suspended/],
  ['resume image repository web', 0, /✔ image repository resumed/],
  ['suspend image update site', 0, /✔ image update automation suspended/],
  ['resume image update site', 0, /✔ image update automation resumed/],
  ['create image policy old --image-ref=web --select-semver=<1.1.0', 0, /✔/],
  [
    'create image update other --git-repo-ref=site --git-repo-path=./apps --checkout-branch=main --push-branch=other --author-name=flux --author-email=flux@example.com',
    0,
    /✔/,
  ],
  ['get image policy old', 0, /old[^\n]*1\.0\.0[^\n]*True[^\n]*resolved to 1\.0\.0/],
  ['get image update other', 0, /other[^\n]*True[^\n]*repository up-to-date/],
  ['export image repository web', 0, /kind: ImageRepository[\s\S]*interval: 1h/],
  ['export image policy --all', 0, /range: <1\.1\.0[\s\S]*range: '>=1\.0\.0'/],
  ['export image update site', 0, /kind: ImageUpdateAutomation[\s\S]*email: flux@example\.com/],
  ['delete image policy old --silent', 0, /✔/],
  ['delete image update other --silent', 0, /✔/],
  ['get image policy old', 1, /not found|no ImagePolicy/i],
  ['get artifact generators', 0, /parts[^\n]*False[^\n]*True[^\n]*reconciliation succeeded, generated 1 artifact\(s\)/],
  [
    'tree artifact generator parts',
    0,
    /ArtifactGenerator\/flux-system\/parts\n└── ExternalArtifact\/flux-system\/apps/,
  ],
  ['tree artifact generator parts -o json', 0, /"Name": "parts"/],
  ['export artifact generator parts', 0, /kind: ArtifactGenerator[\s\S]*to: '@artifact\/'/],
]

describeFluxCommands('commands of the flux CLI about images', startFluxImageWorld, commands)
