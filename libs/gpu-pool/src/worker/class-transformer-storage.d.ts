/** class-transformer ships this file without a type declaration; class-validator-jsonschema's readme names it. */
declare module 'class-transformer/cjs/storage.js' {
  import type { MetadataStorage } from 'class-transformer/types/metadata/MetadataStorage.js';
  const storage: { readonly defaultMetadataStorage: MetadataStorage };
  export default storage;
}
