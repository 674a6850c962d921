/** Keys of the KMS encryption context of data keys; policies in infra/ use them. */
export const encryptionContextKeys = {
  hub: 'keelson:hub',
  purpose: 'keelson:purpose',
  namespace: 'keelson:namespace',
} as const
