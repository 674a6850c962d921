import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** Which objects Helm leaves when they leave a release: an upgrade reads the annotation of the live object, an uninstallation that of the manifest. */
const policy = 'helm.sh/resource-policy'

export const isKeptByUpgrade = ({ metadata }: KubernetesObject): boolean => metadata.annotations?.[policy] === 'keep'

export const isKeptByUninstall = ({ metadata }: KubernetesObject): boolean =>
  metadata.annotations?.[policy]?.trim().toLowerCase() === 'keep'
