/** The flux commands whose requests are kept beside this file, in the order in which they are given to one hub. */
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
] as const
