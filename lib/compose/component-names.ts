/** Flux's names for the controllers that a hub corresponds to. */
export const componentNames: readonly string[] = [
  ...['source-controller', 'kustomize-controller', 'helm-controller', 'notification-controller'],
  ...['image-reflector-controller', 'image-automation-controller', 'source-watcher'],
]
