import trustedRoot from './public-good-root.json' with { type: 'json' }
import tufRoot from './public-tuf-root.json' with { type: 'json' }

/** `trusted_root.json` of the public Sigstore, as it was when this was released. */
export const publicGoodRoot: Uint8Array = Buffer.from(JSON.stringify(trustedRoot))

/** `root.json` of its TUF repository, from which newer ones are reached one by one. Signatures are of its canonical form. */
export const publicTufRoot: string = JSON.stringify(tufRoot)
