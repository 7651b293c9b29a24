/* SPDX-License-Identifier: MIT
 *
 * api.h - redist's public headers without comments, as the package reads
 * them. Made by tests/bindings/header.py api. */
#define REDIST_VERSION_MAJOR 0
#define REDIST_VERSION_MINOR 1
#define REDIST_VERSION_PATCH 1
#define REDIST_MAX_DIMS 15
#define REDIST_EVEN_BLOCK INT64_MIN
#define REDIST_NEXT_AXIS (-1)
typedef enum redist_err { REDIST_OK = 0, REDIST_ERR_ARG, REDIST_ERR_MISMATCH,
    REDIST_ERR_MEMORY, REDIST_ERR_STATE, REDIST_ERR_MPI, REDIST_ERR_IO, REDIST_ERR_DEVICE
    } redist_err;
const char *redist_error_message(void);
void redist_refuse(const char *sentence);
const char *redist_error_name(redist_err err);
typedef enum redist_side { REDIST_SOURCE = 0, REDIST_TARGET = 1 } redist_side;
typedef struct redist_grid redist_grid;
typedef enum redist_order { REDIST_ROW_MAJOR = 0, REDIST_COLUMN_MAJOR = 1 } redist_order;
redist_err redist_grid_create(int naxes, const int shape[], redist_order order, const int
    ranks[], redist_grid **grid);
void redist_grid_destroy(redist_grid **grid);
int redist_grid_naxes(const redist_grid *grid);
int redist_grid_shape(const redist_grid *grid, int axis);
int64_t redist_grid_size(const redist_grid *grid);
int redist_grid_rank(const redist_grid *grid, const int coords[]);
int redist_grid_coords(const redist_grid *grid, int rank, int coords[]);
typedef enum redist_format_kind { REDIST_COLLAPSED, REDIST_BLOCK, REDIST_CYCLIC,
    REDIST_GEN_BLOCK, REDIST_INDIRECT } redist_format_kind;
typedef struct redist_format { redist_format_kind kind; int64_t block; int first; int
    axis; const int64_t *sizes; const int *owners; } redist_format;
typedef struct redist_dist redist_dist;
redist_err redist_dist_create(int ndims, const int64_t extents[], const redist_format
    formats[], const redist_grid *grid, redist_dist **dist);
void redist_dist_destroy(redist_dist **dist);
int redist_dist_ndims(const redist_dist *dist);
int64_t redist_dist_extent(const redist_dist *dist, int dim);
const redist_grid *redist_dist_grid(const redist_dist *dist);
int redist_dist_equal(const redist_dist *a, const redist_dist *b);
redist_err redist_dist_local_extents(const redist_dist *dist, int rank, int64_t local[]);
redist_err redist_dist_owner(const redist_dist *dist, const int64_t index[], int *rank,
    int64_t local[]);
redist_err redist_dist_index(const redist_dist *dist, int rank, const int64_t local[],
    int64_t index[]);
typedef struct redist_view { const redist_dist *dist; int64_t start[REDIST_MAX_DIMS];
    int64_t extent[REDIST_MAX_DIMS]; int64_t stride[REDIST_MAX_DIMS]; int
    axes[REDIST_MAX_DIMS]; int order[REDIST_MAX_DIMS]; int64_t halo_low[REDIST_MAX_DIMS];
    int64_t halo_high[REDIST_MAX_DIMS]; int64_t lead[REDIST_MAX_DIMS]; } redist_view;
redist_err redist_view_init(const redist_dist *dist, redist_view *view);
redist_err redist_view_set_order(redist_view *view, redist_order order);
redist_err redist_view_span(const redist_view *view, int rank, int64_t *elements);
redist_err redist_view_from_descriptor(const int desc[9], const redist_grid *grid,
    redist_dist **dist, redist_view *view);
typedef struct redist_range { int64_t first, count; } redist_range;
typedef struct redist_indices { int64_t n; const int64_t *list; const redist_range
    *ranges; const redist_dist *dist; } redist_indices;
redist_err redist_dist_parse(const char *text, redist_dist **dist);
redist_err redist_dist_print(const redist_dist *dist, char *text, size_t size, size_t
    *length);
redist_err redist_view_parse(const char *text, redist_dist **dist, redist_view *view);
redist_err redist_view_print(const redist_view *view, char *text, size_t size, size_t
    *length);
typedef enum redist_balance_method { REDIST_BALANCE_A = 0, REDIST_BALANCE_B,
    REDIST_BALANCE_A_CEILING } redist_balance_method;
redist_err redist_balance_shares(redist_balance_method method, int nprocs, const int64_t
    counts[], const int64_t weights[], int64_t shares[]);
redist_err redist_balance_dists(redist_balance_method method, int nprocs, const int64_t
    counts[], const int64_t shares[], redist_dist **source, redist_dist **target);
redist_err redist_relabel(const redist_view *source, const redist_view *target, const int
    nodes[], int within, redist_dist **dist, int64_t kept[2]);
typedef struct redist_topology redist_topology;
redist_err redist_topology_create_mesh(int ndims, const int extents[], const int
    periodic[], int nprocs, const int coords[], redist_topology **topology);
redist_err redist_topology_create_tree(int nlevels, const int members[], const int
    links[], int nprocs, const int places[], redist_topology **topology);
redist_err redist_topology_parse(const char *text, int nprocs, redist_topology
    **topology);
int64_t redist_topology_links(const redist_topology *topology);
int redist_topology_route(const redist_topology *topology, int from, int to, int room,
    int64_t links[]);
void redist_topology_destroy(redist_topology **topology);
typedef struct redist_plan redist_plan;
typedef enum redist_op { REDIST_OP_NONE = 0, REDIST_OP_TRANSPOSE, REDIST_OP_CONJUGATE,
    REDIST_OP_CONJUGATE_TRANSPOSE } redist_op;
typedef enum redist_reduction { REDIST_REDUCTION_NONE = 0, REDIST_REDUCTION_SUM,
    REDIST_REDUCTION_PROD, REDIST_REDUCTION_MIN, REDIST_REDUCTION_MAX,
    REDIST_REDUCTION_LAND, REDIST_REDUCTION_LOR, REDIST_REDUCTION_LXOR,
    REDIST_REDUCTION_BAND, REDIST_REDUCTION_BOR, REDIST_REDUCTION_BXOR,
    REDIST_REDUCTION_MINLOC, REDIST_REDUCTION_MAXLOC } redist_reduction;
typedef struct redist_options { size_t size; const char *strategy; size_t staging_bytes;
    redist_side side; redist_op op; int scaled; int in_place; double timeout_s;
    redist_reduction reduction; const redist_topology *topology; void *stream;
    MPI_Datatype source_type; int64_t checked; } redist_options;
redist_err redist_type_create(const char *text, MPI_Datatype *type);
redist_err redist_plan_create(MPI_Comm comm, MPI_Datatype type, const redist_view *source,
    const redist_view *target, const redist_options *options, redist_plan **plan);
typedef struct redist_item { MPI_Datatype type; const redist_view *source, *target; }
    redist_item;
redist_err redist_plan_create_batch(MPI_Comm comm, int nitems, const redist_item items[],
    const redist_options *options, redist_plan **plan);
redist_err redist_plan_create_indexed( MPI_Comm comm, MPI_Datatype type, int64_t extent,
    const redist_indices *source, const redist_indices *target, const redist_options
    *options, redist_plan **plan);
redist_err redist_balance_create(MPI_Comm comm, int64_t count, MPI_Datatype type,
    redist_balance_method method, int64_t weight, const redist_options *options,
    redist_plan **plan, int64_t *share);
redist_err redist_balance_create_sized( MPI_Comm comm, int64_t count, const int64_t
    sizes[], MPI_Datatype type, redist_balance_method method, int64_t weight, const
    redist_options *options, redist_plan **plan, int64_t *count_share, int64_t
    *unit_share);
redist_err redist_plan_destroy(redist_plan **plan);
redist_err redist_execute(redist_plan *plan, const void *source, void *target);
redist_err redist_plan_tune(redist_plan *plan, const void *source, void *target);
redist_err redist_plan_tune_batch(redist_plan *plan, const void *const sources[], void
    *const targets[]);
redist_err redist_start(redist_plan *plan, const void *source, void *target);
redist_err redist_execute_batch(redist_plan *plan, const void *const sources[], void
    *const targets[]);
redist_err redist_start_batch(redist_plan *plan, const void *const sources[], void *const
    targets[]);
redist_err redist_execute_scaled(redist_plan *plan, const void *alpha, const void *source,
    const void *beta, void *target);
redist_err redist_start_scaled(redist_plan *plan, const void *alpha, const void *source,
    const void *beta, void *target);
redist_err redist_execute_batch_scaled(redist_plan *plan, const void *alpha, const void
    *const sources[], const void *beta, void *const targets[]);
redist_err redist_start_batch_scaled(redist_plan *plan, const void *alpha, const void
    *const sources[], const void *beta, void *const targets[]);
redist_err redist_test(redist_plan *plan, int *done);
redist_err redist_wait(redist_plan *plan);
typedef struct redist_report { const char *strategy; int64_t elements_kept; int64_t
    elements_sent; int64_t elements_received; int64_t messages_sent; int64_t
    messages_received; int64_t element_bytes; int64_t plan_bytes; int64_t staging_bytes;
    int64_t staging_peak_bytes; int arrays; int64_t bytes_kept, bytes_sent,
    bytes_received; const char *origin; } redist_report;
redist_err redist_plan_report(const redist_plan *plan, redist_report *report);
redist_err redist_alloc(MPI_Comm comm, size_t bytes, void **memory);
redist_err redist_alloc_view(MPI_Comm comm, MPI_Datatype type, const redist_view *view,
    void **memory);
redist_err redist_free(void *memory);
redist_err redist_view_from_darray(int ndims, const int gsizes[], const int distribs[],
    const int dargs[], const int psizes[], int order, redist_dist **dist, redist_view
    *view);
redist_err redist_topology_create_cart(MPI_Comm comm, redist_topology **topology);
redist_err redist_topology_create_nodes(MPI_Comm comm, int links, redist_topology
    **topology);
typedef struct redist_file redist_file;
typedef enum redist_file_mode { REDIST_FILE_READ, REDIST_FILE_UPDATE, REDIST_FILE_CREATE }
    redist_file_mode;
typedef struct redist_file_layout { size_t size; const char *format; int ndims; int64_t
    shape[REDIST_MAX_DIMS]; const char *type; redist_order order; int64_t
    chunk[REDIST_MAX_DIMS]; const char *codec; int64_t offset; int version; }
    redist_file_layout;
typedef struct redist_file_options { size_t size; const redist_file_layout *layout; const
    char *format; size_t staging_bytes; int writers; int checked; } redist_file_options;
redist_err redist_file_open(MPI_Comm comm, const char *name, redist_file_mode mode, const
    redist_file_options *options, redist_file **file);
redist_err redist_file_describe(const redist_file *file, redist_file_layout *layout);
redist_err redist_file_set_progress( redist_file *file, void (*progress)(void *context,
    int64_t done, int64_t total), void *context);
redist_err redist_file_read(redist_file *file, const redist_view *view, MPI_Datatype type,
    void *buffer);
redist_err redist_file_write(redist_file *file, const redist_view *view, MPI_Datatype
    type, const void *buffer);
redist_err redist_file_read_section(redist_file *file, const int64_t start[], const
    int64_t stride[], const redist_view *view, MPI_Datatype type, void *buffer);
redist_err redist_file_write_section(redist_file *file, const int64_t start[], const
    int64_t stride[], const redist_view *view, MPI_Datatype type, const void *buffer);
redist_err redist_file_copy(redist_file *from, redist_file *to);
redist_err redist_file_close(redist_file **file);
typedef struct redist_checkpoint redist_checkpoint;
redist_err redist_checkpoint_create(MPI_Comm comm, const char *folder, int64_t step,
    redist_checkpoint **checkpoint);
redist_err redist_checkpoint_write(redist_checkpoint *checkpoint, const char *name, const
    redist_view *view, MPI_Datatype type, const void *buffer);
redist_err redist_checkpoint_set(redist_checkpoint *checkpoint, const char *key, const
    char *text);
redist_err redist_checkpoint_commit(redist_checkpoint **checkpoint, int keep);
redist_err redist_checkpoint_open(MPI_Comm comm, const char *folder, int64_t step,
    redist_checkpoint **checkpoint);
int64_t redist_checkpoint_step(const redist_checkpoint *checkpoint);
redist_err redist_checkpoint_get(const redist_checkpoint *checkpoint, const char *key,
    const char **text);
redist_err redist_checkpoint_read(redist_checkpoint *checkpoint, const char *name, const
    redist_view *view, MPI_Datatype type, void *buffer);
redist_err redist_checkpoint_array(redist_checkpoint *checkpoint, const char *name,
    redist_file **file);
redist_err redist_checkpoint_verify(redist_checkpoint *checkpoint);
redist_err redist_checkpoint_close(redist_checkpoint **checkpoint);
