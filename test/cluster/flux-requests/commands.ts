/** The flux commands whose requests are kept beside this file, in the order in which they are given to one hub: that of flux-world.ts. */
export const fluxCommands = [
  { file: 'get-sources-git.json', args: ['get', 'sources', 'git'] },
  { file: 'get-kustomizations.json', args: ['get', 'kustomizations'] },
  { file: 'get-all.json', args: ['get', 'all', '--all-namespaces'] },
  { file: 'reconcile-source.json', args: ['reconcile', 'source', 'git', 'site'] },
  { file: 'reconcile-with-source.json', args: ['reconcile', 'kustomization', 'site', '--with-source'] },
  { file: 'suspend-source.json', args: ['suspend', 'source', 'git', 'site'] },
  { file: 'resume-source.json', args: ['resume', 'source', 'git', 'site'] },
  { file: 'suspend-kustomization.json', args: ['suspend', 'kustomization', 'site'] },
  { file: 'resume-kustomization.json', args: ['resume', 'kustomization', 'site'] },
  { file: 'tree.json', args: ['tree', 'kustomization', 'site'] },
  { file: 'trace.json', args: ['trace', 'configmap', 'settings'] },
  { file: 'check.json', args: ['check'] },
  { file: 'version.json', args: ['version'] },
  { file: 'events.json', args: ['events'] },
  { file: 'stats.json', args: ['stats'] },
  {
    file: 'create-kustomization.json',
    args: [
      'create',
      'kustomization',
      'two',
      '--source=GitRepository/site',
      '--path=./two',
      '--prune',
      '--interval=10m',
    ],
  },
  { file: 'delete-kustomization.json', args: ['delete', 'kustomization', 'two', '--silent'] },
  {
    file: 'create-receiver.json',
    args: [
      'create',
      'receiver',
      'push',
      '--type=github',
      '--event=push',
      '--secret-ref=hook',
      '--resource=GitRepository/site',
    ],
  },
  { file: 'get-receivers.json', args: ['get', 'receivers'] },
  { file: 'reconcile-receiver.json', args: ['reconcile', 'receiver', 'push'] },
  {
    file: 'create-alert-provider.json',
    args: ['create', 'alert-provider', 'chat', '--type=slack', '--channel=x', '--address=https://hooks.example.com/x'],
  },
  {
    file: 'create-alert.json',
    args: [
      'create',
      'alert',
      'noise',
      '--event-severity=info',
      '--event-source=Kustomization/*',
      '--provider-ref=chat',
    ],
  },
  { file: 'get-alert-providers.json', args: ['get', 'alert-providers'] },
  { file: 'get-alerts.json', args: ['get', 'alerts'] },
  { file: 'events-for.json', args: ['events', '--for', 'Kustomization/site'] },
] as const

/** The same for the hub of flux-release-world.ts. */
export const fluxReleaseCommands = [
  { file: 'get-helmreleases.json', args: ['get', 'helmreleases'] },
  { file: 'tree-helmrelease.json', args: ['tree', 'kustomization', 'site'] },
  { file: 'trace-helmrelease.json', args: ['trace', 'configmap', 'web'] },
  { file: 'debug-helmrelease-values.json', args: ['debug', 'helmrelease', 'web', '--show-values'] },
  { file: 'reconcile-helmrelease.json', args: ['reconcile', 'helmrelease', 'web'] },
  { file: 'reconcile-helmrelease-force.json', args: ['reconcile', 'helmrelease', 'web', '--force'] },
  { file: 'suspend-helmrelease.json', args: ['suspend', 'helmrelease', 'web'] },
  { file: 'resume-helmrelease.json', args: ['resume', 'helmrelease', 'web'] },
  {
    file: 'create-helmrelease.json',
    args: ['create', 'helmrelease', 'made', '--source=GitRepository/site', '--chart=./app', '--interval=1h'],
  },
  { file: 'delete-helmrelease.json', args: ['delete', 'helmrelease', 'made', '--silent'] },
] as const

/** Stands for the address of the registry, which differs from one hub to the next. */
export const registry = '<registry>'

/** The same for a hub with images: that of flux-image-world.ts. */
export const fluxImageCommands = [
  { file: 'get-images.json', args: ['get', 'images', 'all'] },
  { file: 'get-image-repositories.json', args: ['get', 'image', 'repository'] },
  { file: 'get-image-policies.json', args: ['get', 'image', 'policy'] },
  { file: 'get-image-updates.json', args: ['get', 'image', 'update'] },
  { file: 'reconcile-image-repository.json', args: ['reconcile', 'image', 'repository', 'web'] },
  { file: 'reconcile-image-policy.json', args: ['reconcile', 'image', 'policy', 'web'] },
  { file: 'reconcile-image-update.json', args: ['reconcile', 'image', 'update', 'site'] },
  { file: 'suspend-image-repository.json', args: ['suspend', 'image', 'repository', 'web'] },
  { file: 'resume-image-repository.json', args: ['resume', 'image', 'repository', 'web'] },
  { file: 'suspend-image-update.json', args: ['suspend', 'image', 'update', 'site'] },
  { file: 'resume-image-update.json', args: ['resume', 'image', 'update', 'site'] },
  {
    file: 'create-image-repository.json',
    args: ['create', 'image', 'repository', 'again', `--image=${registry}/web`, '--interval=1h'],
  },
  {
    file: 'create-image-policy.json',
    args: ['create', 'image', 'policy', 'old', '--image-ref=web', '--select-semver=<1.1.0'],
  },
  {
    file: 'create-image-update.json',
    args: [
      ...['create', 'image', 'update', 'other', '--git-repo-ref=site', '--git-repo-path=./apps'],
      ...['--checkout-branch=main', '--push-branch=other', '--author-name=flux', '--author-email=flux@example.com'],
    ],
  },
  { file: 'export-image-repository.json', args: ['export', 'image', 'repository', 'web'] },
  { file: 'export-image-policies.json', args: ['export', 'image', 'policy', '--all'] },
  { file: 'export-image-update.json', args: ['export', 'image', 'update', 'site'] },
  { file: 'delete-image-policy.json', args: ['delete', 'image', 'policy', 'old', '--silent'] },
  { file: 'delete-image-repository.json', args: ['delete', 'image', 'repository', 'again', '--silent'] },
  { file: 'delete-image-update.json', args: ['delete', 'image', 'update', 'other', '--silent'] },
  { file: 'get-artifact-generators.json', args: ['get', 'artifact', 'generators'] },
  { file: 'tree-artifact-generator.json', args: ['tree', 'artifact', 'generator', 'parts'] },
  { file: 'export-artifact-generator.json', args: ['export', 'artifact', 'generator', 'parts'] },
] as const
